"""Redraw the figures into docs/papers: `python -m experiments.figures`."""

from pathlib import Path

from experiments.figures.natarajan import figure_1
from experiments.figures.robles import chosen_by_method, figure_8, figure_9, figure_10
from experiments.robles.running_times import count_grid

FOLDER = Path(__file__).resolve().parents[2] / "docs/papers"


def main(folder: Path = FOLDER) -> None:
    """Write one SVG file for each figure."""
    surfaces = count_grid()
    chosen = chosen_by_method(surfaces)
    drawings = {
        "natarajan-figure-1": figure_1(),
        "robles-figure-8": figure_8(surfaces, chosen),
        "robles-figure-9": figure_9(chosen),
        **{f"robles-figure-10-{view}": drawing for view, drawing in figure_10(surfaces, chosen).items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        path = folder / f"{name}.svg"
        path.write_text(drawing, encoding="utf-8")
        print(f"{path.name}: {len(drawing) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
