"""Write the browser's messages as TypeScript types: python -m tests.message_types."""

import inspect
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints, is_typeddict

from ui.operating_point.explorer import messages as explorer
from ui.top_k import bars

PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def written(kind):  # noqa: PLR0911
    """A type of Python in words of TypeScript."""
    if kind in PLAIN:
        return PLAIN[kind]
    arguments = [written(argument) for argument in get_args(kind) if argument is not ...]
    match get_origin(kind):
        case None:
            return kind.__name__
        case found if found is UnionType:
            return " | ".join(arguments)
        case found if found is Annotated:
            return kind.__metadata__[0].__name__
        case found if found is dict:
            return f"Record<{', '.join(arguments)}>"
        case found if found is list or ... in get_args(kind):
            return f"({arguments[0]})[]" if "|" in arguments[0] else f"{arguments[0]}[]"
    return f"[{', '.join(arguments)}]"


def interface(kind):
    """Write one interface with its docstring."""
    optional = getattr(kind, "__optional_keys__", ())
    hints = get_type_hints(kind, include_extras=True)
    fields = (f"  {name}{'?' if name in optional else ''}: {written(of)}\n" for name, of in hints.items())
    about = inspect.getdoc(kind).replace("\n", "\n * ").replace(" * \n", " *\n")
    return f"/**\n * {about}\n */\nexport interface {kind.__name__} {{\n{''.join(fields)}}}\n"


def text(messages: ModuleType):
    """All interfaces, in the order of the module of Python."""
    kinds = [kind for kind in vars(messages).values() if is_typeddict(kind) or is_dataclass(kind)]
    return "\n".join(["// Made of ../messages.py; not kept in the repository.\n", *map(interface, kinds)])


def write():
    """Write the types of each component beside its modules."""
    for messages in (explorer, bars):
        file = Path(messages.__file__).parent / "browser" / "messages.d.ts"
        file.write_text(text(messages), encoding="utf-8")


if __name__ == "__main__":
    write()
