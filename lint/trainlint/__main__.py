"""`python -m trainlint`."""

from trainlint.cli.main import run

if __name__ == "__main__":
    run()
