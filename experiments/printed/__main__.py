"""Print the audit of the printed figures of both papers: `python -m experiments.printed`."""

from time import process_time

from experiments.printed.report import audit, audit_markdown


def main() -> None:
    """Print it as Markdown, with the processor seconds it took."""
    start = process_time()
    found = audit()
    print(audit_markdown(found))
    print(f"\n{process_time() - start:.2f} s of processor time.")


if __name__ == "__main__":
    main()
