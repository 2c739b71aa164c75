"""`python -m assay` is the command line `assay`."""

import sys

from assay.cli import main

sys.exit(main())
