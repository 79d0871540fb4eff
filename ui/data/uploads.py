"""What one user loaded of one kind of data, and chose about it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pandas as pd
import streamlit as st

from multiloss_core import DataError
from multiloss_core.tables.read_table import LARGEST_FILE
from ui.shared.formatting import as_text

Choice = TypeVar("Choice")
Data = TypeVar("Data")


@dataclass(frozen=True, eq=False)
class Source(Generic[Choice]):
    """A table with the choice of its columns that is tried first. `fingerprint` is the SHA-256 of what was given."""

    name: str
    fingerprint: str
    frame: pd.DataFrame
    first_choice: Choice


@dataclass
class Shelf(Generic[Choice]):
    """The sources that were loaded last, by name, the last valid choice of columns of each source (by fingerprint), and
    what became of the last upload. `key`: that of the picker, also in the URL; `most` sources are kept."""

    key: str
    most: int
    uploads: dict[str, Source[Choice]] = field(default_factory=dict)
    choices: dict[str, Choice] = field(default_factory=dict)
    last_upload: str | None = None
    complaint: str | None = None

    def ask_upload(self, label: str, read: Callable[[bytes, str], Source[Choice]], *, key: str, hint: str) -> None:
        """The uploader, and the complaint about the last file. Must run before `pick`, as must `take`."""
        uploaded = st.file_uploader(
            label,
            type=["csv", "tsv", "txt", "parquet"],
            key=key,
            max_upload_size=LARGEST_FILE // 2**20,
            help=hint,
        )
        if uploaded is None:
            self.complaint = None
        elif uploaded.file_id != self.last_upload:
            self.last_upload = uploaded.file_id
            with st.spinner(f"Reading {uploaded.name} …"):
                self.complaint = self.take(lambda: read(uploaded.getvalue(), uploaded.name))
        if self.complaint:
            st.error(as_text(self.complaint), icon=":material/error:")

    def take(self, read: Callable[[], Source[Choice]]) -> str | None:
        """Take what is read and pick it; or say why it cannot be read, and leave everything as it was."""
        try:
            source = read()
        except DataError as error:
            return str(error)
        self.uploads.pop(source.name, None)
        self.uploads[source.name] = source
        for oldest in list(self.uploads)[: -self.most]:
            del self.uploads[oldest]
        st.session_state[self.key] = source.name
        return None

    def pick(
        self, label: str, samples: Iterable[str], sample: Callable[[str], Source[Choice]], *, hint: str
    ) -> Source[Choice]:
        """Let the user pick a sample or what was loaded; the pick is kept across pages and in the URL."""
        options = list(dict.fromkeys([*samples, *self.uploads]))
        # The words on the screen are the words in the URL, so nothing is reformatted on the way.
        wanted = st.query_params.get(self.key)
        picked = st.selectbox(label, options, key=self.key, bind="query-params", help=hint)
        if wanted is not None and wanted not in options:
            st.info(
                f"The link was made with '{as_text(wanted[:80])}', which is not loaded in this session; upload it again."
            )
        name = picked if picked in options else options[0]
        return self.uploads[name] if name in self.uploads else sample(name)

    def choice_for(self, source: Source[Choice]) -> Choice:
        """The last valid choice of columns of a source, or the first one to try."""
        return self.choices.get(source.fingerprint, source.first_choice)

    def checked(
        self, source: Source[Choice], choice: Choice, build: Callable[[Source[Choice], Choice], Data], noun: str
    ) -> Data | None:
        """What is built under a choice of columns, which is remembered when it is valid.

        After a wrong choice, with the complaint, what is built under the last one that worked, if any did.
        """
        try:
            data = build(source, choice)
            self.choices[source.fingerprint] = choice
            return data
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
        try:
            data = build(source, self.choice_for(source))
        except DataError:
            st.info(f"Correct the columns above, or pick other {noun}. Nothing that you loaded is lost.")
            return None
        st.info("Below is still the last choice of columns that worked.")
        return data
