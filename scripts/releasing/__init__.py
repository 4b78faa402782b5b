"""The steps of `scripts/release`, which builds programs, wheels and archives for every platform: docs/release.md."""
