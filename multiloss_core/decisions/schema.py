"""Print the JSON Schema of decision records: `python -m multiloss_core.decisions.schema`."""

import json
import sys

from multiloss_core.decisions.record import ADAPTER


def json_schema() -> str:
    """Generate the schema of records as they are written, as indented JSON text."""
    schema = ADAPTER.json_schema(mode="serialization")
    # The fields that are left out where there is nothing to say; and a schema is not of one version of the program.
    schema["$defs"]["RecordedSettings"]["required"].remove("amount")
    schema["$defs"]["RecordedColumns"]["required"].remove("meanings")
    del schema["properties"]["program_version"]["default"]
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(json_schema())
