"""Uploaded tables of one session and the column choice of each, with the widgets that bring them in and pick one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from multiloss_core import DataError
from multiloss_core.tables import LARGEST_FILE
from ui.shared.formatting import as_text
from ui.shared.session import Source, Uploads

Choice = TypeVar("Choice")
Data = TypeVar("Data")


@dataclass(frozen=True, kw_only=True)
class UploadStore(Generic[Choice]):
    """The tables of one kind: samples, and what was loaded in this session, of which `limit` are kept.

    `key`: that of the picker, also in the URL; `label` and `hint` are the picker's words. `samples` make one by name.
    """

    state: Uploads[Choice]
    key: str
    limit: int
    samples: Mapping[str, Callable[[str], Source[Choice]]]
    label: str
    hint: str

    def ask_upload(self, label: str, read: Callable[[bytes, str], Source[Choice]], *, key: str, hint: str) -> None:
        """Draw the uploader, and the complaint about the last file; call it from `load` of `pick`."""
        uploaded = st.file_uploader(
            label,
            type=["csv", "tsv", "txt", "parquet"],
            key=key,
            max_upload_size=LARGEST_FILE // 2**20,
            help=hint,
        )
        if uploaded is None:
            self.state.complaint = None
        elif uploaded.file_id != self.state.last_upload:
            self.state.last_upload = uploaded.file_id
            with st.spinner(f"Reading {uploaded.name} …"):
                self.state.complaint = self.take(lambda: read(uploaded.getvalue(), uploaded.name))
        if self.state.complaint:
            st.error(as_text(self.state.complaint), icon=":material/error:")

    def take(self, read: Callable[[], Source[Choice]]) -> str | None:
        """Take what is read and pick it; or say why it cannot be read, and leave everything as it was."""
        try:
            source = read()
        except DataError as error:
            return str(error)
        self.state.sources.pop(source.name, None)
        self.state.sources[source.name] = source
        for oldest in list(self.state.sources)[: -self.limit]:
            del self.state.sources[oldest]
        self.choose(source.name)
        return None

    def choose(self, name: str) -> None:
        """Have the picker show a table; before the picker is drawn."""
        st.session_state[self.key] = name

    def pick(self, load: Callable[[], None] | None = None) -> Source[Choice]:
        """Let the user pick a sample or what was loaded; the pick is kept across pages and in the URL.

        `load` draws what brings tables in, which picks what it brought: so it runs before the picker is drawn.
        """
        if load is not None:
            load()
        options = list(dict.fromkeys([*self.samples, *self.state.sources]))
        # The words on the screen are the words in the URL, so nothing is reformatted on the way.
        wanted = st.query_params.get(self.key)
        picked = st.selectbox(self.label, options, key=self.key, bind="query-params", help=self.hint)
        if wanted is not None and wanted not in options:
            st.info(
                f"The link was made with '{as_text(wanted[:80])}', which is not loaded in this session; upload it "
                "again."
            )
        return self.source(picked if picked in options else options[0])

    def source(self, name: str) -> Source[Choice]:
        """Return what was loaded under a name, else the sample of that name. Raises DataError if there is neither."""
        if name in self.state.sources:
            return self.state.sources[name]
        if name not in self.samples:
            raise DataError(f"'{name}' is no longer loaded in this session; upload it again.")
        return self.samples[name](name)

    def choice_for(self, source: Source[Choice]) -> Choice:
        """Return the last valid choice of columns of a source, or the first one to try."""
        return self.state.choices.get(source.fingerprint, source.first_choice)

    def checked(
        self, source: Source[Choice], choice: Choice, build: Callable[[Source[Choice], Choice], Data], noun: str
    ) -> Data | None:
        """Build data under a choice of columns, which is remembered when it is valid.

        After a wrong choice, with the complaint, what is built under the last one that worked, if any did.
        """
        try:
            data = build(source, choice)
            self.state.choices[source.fingerprint] = choice
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
