"""How the property tests run: no deadline on one example, and always the same examples under CI."""

import os

from hypothesis import settings

settings.register_profile("elicit", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("elicit")
