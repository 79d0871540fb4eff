"""Print the JSON Schema of decision records.

Run: python -m multiloss_core.decisions.print_json_schema
"""

import json
import sys

from multiloss_core.decisions.record import ADAPTER, OPTIONAL_IN_COLUMNS, OPTIONAL_IN_DATA


def json_schema() -> str:
    """Generate the schema of written records as indented JSON text."""
    schema = ADAPTER.json_schema(mode="serialization")
    columns = schema["$defs"]["RecordedColumns"]
    columns["required"] = [name for name in columns["required"] if name not in OPTIONAL_IN_COLUMNS]
    data = schema["$defs"]["RecordedData"]
    data["required"] = [name for name in data["required"] if name not in OPTIONAL_IN_DATA]
    schema["required"] = [name for name in schema["required"] if name not in ("segments", "audit")]
    columns["properties"]["inverted"] = columns["properties"]["scores"] | {
        "description": "Scores whose low values are suspicious: they reach their threshold at or below it. Left out "
        "where there are none.",
        "title": "Inverted",
    }
    # Its example is in Python.
    schema["description"] = schema["description"].partition("\n\n")[0]
    # A schema is not of one version of the program.
    del schema["properties"]["program_version"]["default"]
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(json_schema())
