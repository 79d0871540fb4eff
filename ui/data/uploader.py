"""Draw the uploader and the picker of tables, and bring stored files back."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import Source
from multiloss_core.formatting import shortened
from multiloss_core.tables import MAX_FILE_BYTES, MAX_LINES, ReadOptions
from multiloss_core.thresholds import UncertainFloorsError
from ui.data.store import COMPANIONS, START, Choice, Data, TableStore, is_address, memory_of, reading_of
from ui.server.file_store import StoredFile, file_store, new_key
from ui.shared.choices import UrlParameter, choose, chosen
from ui.shared.formatting import LONG_NAME, as_label, as_text
from ui.shared.long_work import ask_task, wait_for
from ui.shared.page_setup import reading
from ui.shared.session import UploadedFile, session
from ui.sign_in.user import current_user

# About what a small file takes, and what a large one: for the order of readings only.
SECONDS_TO_READ, BYTES_A_SECOND = 0.2, 8e6
# In pixels, with its label.
KEPT, NOT_LOADED = " (kept on this server)", " (not loaded)"
MAX_NAME = 255


@dataclass(frozen=True, kw_only=True)
class Uploader(TableStore[Choice, Data]):
    """Widgets of one kind of table.

    `key` is also that of the picker; `label` and `hint` are the picker's words, and `upload_key`, `upload_label` and
    `upload_hint` the uploader's.
    """

    label: str
    hint: str
    upload_key: str
    upload_label: str
    upload_hint: str

    def ask_upload(self, label: str | None = None) -> str | None:
        """Draw the uploader under its label, or another one, and the result of the last file.

        Returns the name of a file that was just given and read, else None.
        """
        new = None
        with st.container(key=f"{self.upload_key}_room"):
            uploaded = st.file_uploader(
                label or self.upload_label,
                type=["csv", "tsv", "txt", "xlsx", "parquet"],
                key=self.upload_key,
                max_upload_size=MAX_FILE_BYTES // 2**20,
                help=self.upload_hint,
            )
        if uploaded is None:
            self.state.complaint = None
            self._stop_reading()
        elif uploaded.file_id != self.state.last_upload:
            with reading(uploaded.name):
                self.state.complaint = self._take_file(uploaded.getvalue(), uploaded.name)
                # Not before: a run that is cut short leaves the file to the next one.
                self.state.last_upload = uploaded.file_id
            new = None if self.state.complaint else self.state.picked
        shown_file = self.state.files.get(self._shown_name())
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if uploaded is not None:
                self._ask_options(uploaded.getvalue, uploaded.name, uploaded.file_id)
            elif shown_file is not None and file_store().about(shown_file.key) is not None:
                stored = partial(file_store().read, shown_file.key)
                self._ask_options(stored, shown_file.given_name, shown_file.key)
            if shown_file is not None and shown_file.key:
                self._show_storage(self._shown_name(), shown_file.key)
        if self.state.complaint:
            shown = self._shown_name()
            still = f" Still shown: {_named(shown)}." if self.is_here(shown) else ""
            st.error(as_text(self.state.complaint) + still, icon=":material/error:")
        elif self.state.note:
            st.info(as_text(self.state.note), icon=":material/info:")
        return new

    def _show_storage(self, name: str, key: str) -> None:
        """Say how long a file is kept, and offer its owner to delete it."""
        stored, until = file_store().about(key), file_store().until(key)
        if stored is None or until is None:
            st.caption("This server does not keep the file: after a reload, upload it again.")
            return
        with st.popover("Kept on this server", type="tertiary"):
            st.markdown(
                f"{_named(name)} is kept until {datetime.fromtimestamp(until, UTC):%Y-%m-%d} unless it is used again. "
                "Everyone with the address of this page can open it, with what its columns mean."
            )
            if stored.owner == current_user().identity:
                st.button(
                    "Delete this file",
                    key=f"{self.upload_key}_delete",
                    icon=":material/delete:",
                    on_click=self._delete,
                    args=(name, key),
                )

    def _delete(self, name: str, key: str) -> None:
        """Delete a stored file, and go on with the first sample."""
        file_store().delete(key)
        for held in (self.state.sources, self.state.files, self.state.kept):
            held.pop(name, None)
        self.state.note = f"'{name}' is deleted."
        self.choose(next(iter(self.samples)))

    def _ask_options(self, data: Callable[[], bytes | None], name: str, tag: str) -> None:
        """Ask for sheet, lines and rows of a file, and read it again; `tag` for widget keys."""
        shown = self._shown_name()
        source, file = self.state.sources.get(shown), self.state.files.get(shown)
        is_shown = source is not None and file is not None and file.given_name == name
        if not (is_shown or self.state.complaint):
            return
        options, sheet = ReadOptions(), None
        if source is not None and file is not None and is_shown:
            options, sheet = self.options_of(file.digest), source.sheet
            if len(source.sheets) > 1:
                sheet = st.selectbox(
                    f"Sheet of {as_label(name)}",
                    source.sheets,
                    index=source.sheets.index(source.sheet or source.sheets[0]),
                    key=f"{self.upload_key}_sheet_{source.fingerprint[:START]}",
                )
        of_file = f"{self.upload_key}_{tag}"
        with st.popover("Lines to read", type="tertiary"), st.form(f"{of_file}_lines", border=False):
            header_line = st.number_input(
                "Line of the header",
                min_value=1,
                max_value=MAX_LINES,
                value=options.header_line,
                step=1,
                placeholder="found by its names",
                key=f"{of_file}_header_line",
                help="Lines above it are left out. In a workbook it is the row of the sheet.",
            )
            skip_last = st.number_input(
                "Lines to leave out at the end", 0, MAX_LINES, options.skip_last, key=f"{of_file}_skip_last"
            )
            repeats = st.checkbox(
                "Leave out rows identical to an earlier one", options.leave_out_repeats, key=f"{of_file}_repeats"
            )
            # Kept until a run comes as far as this: one that is cut short forgets the click.
            asked = f"{of_file}_asked"
            st.form_submit_button("Read again", on_click=choose, args=(asked, True))
        is_asked = chosen(asked, False)
        if is_asked:
            options = ReadOptions(header_line=header_line, skip_last=skip_last, leave_out_repeats=repeats)
        if is_asked or (source is not None and is_shown and sheet != source.sheet):
            if (content := data()) is not None:
                with reading(name):
                    self.state.complaint = self._take_file(content, name, replace(options, sheet=sheet))
            choose(asked, False)

    def take(self, read: Callable[[], Source[Choice]]) -> str | None:
        """Accept and pick a read table, or show why it cannot be read and change nothing."""
        try:
            source = read()
            self._add(source, UploadedFile(digest=source.fingerprint, memory=memory_of(source)))
        except DataError as error:
            return str(error)
        return None

    def choose(self, name: str) -> None:
        """Select a table; call this before the picker is drawn."""
        self.state.picked = name
        choose(self.key, name)

    def pick(self, load: Callable[[], None] | None = None) -> Source[Choice]:
        """Ask for a sample or a loaded table; the pick is kept across pages and in the URL.

        `load` draws the inputs that bring and pick tables, so it runs before the picker. The page stops if the picked
        table is not loaded.
        """
        self._follow_address()
        picker, below = st.container(), st.container()
        self._bring_back(self._shown_name())
        self._bring_companions(self._shown_name())
        if load is not None:
            load()
        with below:
            if not self.is_here(self._shown_name()):
                self._say_missing(self._shown_name())
                if load is None:
                    self.ask_upload()
                    if self.is_here(self._shown_name()):
                        st.rerun()
                first = next(iter(self.samples))
                st.button(
                    "Look at a simulated sample instead",
                    key=f"{self.key}_sample",
                    type="tertiary",
                    on_click=self.choose,
                    args=(first,),
                )
        with picker:
            name = self._ask_name()
        if not self.is_here(name):
            st.stop()
        self._show_in_address(name)
        if name in self.state.replaced:
            below.warning(
                f"{_named(name)} is not the same file as before: its content differs from the one that this address "
                "was made with.",
                icon=":material/difference:",
            )
        return self.source(name)

    def checked(self, source: Source[Choice], choice: Choice, noun: str) -> Data | None:
        """Build data under a choice of columns, which is remembered when it is valid.

        After a wrong choice, with the complaint, what is built under the last one that worked, if any did.
        """
        try:
            data = self.build(source, choice)
        except UncertainFloorsError:
            # The page asks it.
            st.info("Answer the question above.", icon=":material/help:")
            return None
        except DataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
        else:
            self.remember(source, choice)
            return data
        try:
            data = self.build(source, self.choice_for(source))
        except DataError:
            st.info(f"Correct the columns, or pick other {noun}. Nothing that you loaded is lost.")
            return None
        st.info("Below is still the last choice of columns that worked.")
        return data

    def in_address(self, name: str) -> dict[str, str]:
        """Return the URL text of a table: a sample's name or the address of a file."""
        address = self.address_of(name)
        if address is None:
            return {self.key: name} if name in self.samples else {}
        return {self._file_in_address.name: address}

    @property
    def _address(self) -> UrlParameter[str]:
        """The name of the sample that is picked, in the URL."""
        return UrlParameter(self.key, lambda text: text[:MAX_NAME] or None, str)

    @property
    def _file_in_address(self) -> UrlParameter[str]:
        """The address of the file that is picked, in the URL: names stay out of it."""
        return UrlParameter(f"{self.key}_file", lambda text: text if is_address(text) else None, str)

    def _follow_address(self) -> None:
        """Pick the table of a link."""
        first = next(iter(self.samples))
        asked = self._asked(first)
        # The picker of another page is another widget, which knows nothing of this one's value.
        page, self.state.page = self.state.page, session().page
        # A browser may say the words of a moment ago, when the file was not loaded yet.
        picked = str(chosen(self.key, "")).removesuffix(KEPT).removesuffix(NOT_LOADED)
        known = picked if picked in self._names() else None
        if asked is not None or page != session().page or known is None or known != chosen(self.key):
            here = None if page != session().page else known
            self.choose(asked or here or self.state.picked or first)

    def _asked(self, first: str) -> str | None:
        """Return what a link newly asks for; `first` after a step back from another sample.

        A file stays picked where an address does not name it: after a reload, the browser may give the address of a
        moment before.
        """
        name, address = self._address.asked(if_gone=first), self._file_in_address.asked()
        if self._address.shown() is not None:
            return name
        if self._file_in_address.shown() is not None:
            return self._known_as(address) if address else None
        return None if self.state.picked in self.state.sources else name

    def _known_as(self, address: str) -> str:
        """Return the name of a loaded or stored file with the same SHA-256; else the given address."""
        names = [*self.state.files, *self.state.kept]
        return next((name for name in names if (self.address_of(name) or "")[-START:] == address[-START:]), address)

    def _show_in_address(self, name: str) -> None:
        """Write the data to the URL; the first sample needs no name while no file is loaded."""
        nameless = name == next(iter(self.samples)) and not self.state.sources
        asked = {} if nameless else self.in_address(name)
        for parameter in (self._address, self._file_in_address):
            parameter.show(asked.get(parameter.name))

    def _names(self) -> list[str]:
        """List what can be picked, and what is picked though it is not there."""
        names = [*self.samples, *self.state.sources, *self.state.kept, self.state.picked]
        return [name for name in dict.fromkeys(names) if name is not None]

    def _ask_name(self) -> str:
        picked = st.selectbox(self.label, self._names(), format_func=self._in_words, key=self.key, help=self.hint)
        self.state.picked = str(picked)
        return self.state.picked

    def _in_words(self, name: str) -> str:
        shown = "Your file" if is_address(name) else name
        return shown if self.is_here(name) else shown + (KEPT if name in self.state.kept else NOT_LOADED)

    def _shown_name(self) -> str:
        """Return the name of what is picked, loaded or not."""
        return str(chosen(self.key, self.state.picked))

    def _expected_address(self, name: str) -> str:
        """Return the address of a file that is not loaded, empty if unknown."""
        if is_address(name):
            return name
        in_url = self._file_in_address.shown()
        return in_url if in_url and name == self._address.shown() else self.state.kept.get(name, "")

    def _bring_back(self, name: str) -> None:
        """Load a file from the server's store, where it is kept, with what its columns mean."""
        if self.is_here(name) or name in self.state.gone:
            return
        self.load(self._expected_address(name)[:-START])
        if not self.is_here(self._shown_name()):
            self.state.gone.add(name)
            self.state.kept.pop(name, None)

    def _bring_companions(self, name: str) -> None:
        """Load the stored files that a loaded one is read with."""
        source = self.state.sources.get(name)
        for other in () if source is None else self.companions(self.choice_for(source)):
            if other in self.state.kept:
                self._bring_back(other)
                self.choose(name)

    def load(self, key: str) -> None:
        """Load and pick a stored file, if it is kept."""
        stored = file_store().about(key)
        data = None if stored is None or stored.kind != self.key else file_store().read(key)
        if stored is None or data is None:
            return
        self.state.remembered = {**stored.settings, **self.state.remembered}
        for other, address in _companions(stored).items():
            if not self.is_here(other):
                self.state.kept[other] = address
        with reading(stored.name, key):
            complaint = self._take_file(data, stored.name, key=key)
        self.state.note = complaint or self.state.note

    def _say_missing(self, name: str) -> None:
        which = f"it again (its SHA-256 begins with {name[-START:]})" if is_address(name) else f"{_named(name)} again"
        st.warning(
            f"Your file is not loaded any more. Upload {which} to go on where you were.", icon=":material/upload_file:"
        )

    def _take_file(self, data: bytes, name: str, options: ReadOptions | None = None, key: str = "") -> str | None:
        """Read, pick and store a file, or return why it cannot be read and change nothing.

        It is read by `options`, or by the remembered ones. `key`: that of a stored file.
        """
        digest = hashlib.sha256(data).hexdigest()
        known = [file.key for file in self.state.files.values() if file.digest == digest]
        key = key or next(iter(known), "") or new_key()
        try:
            source = self._read(data, name, options or self.options_of(digest), digest)
            self._add(source, UploadedFile(given_name=name, digest=digest, key=key, memory=memory_of(source)))
        except DataError as error:
            return str(error)
        if options is not None:
            self.state.remembered[reading_of(digest)] = options.key
        subjects = (reading_of(digest), source.fingerprint)
        settings = {of: text for of in subjects if (text := self.state.remembered.get(of))}
        if file_store().about(key) is None:
            owner = current_user().identity
            about = StoredFile(kind=self.key, name=name, digest=digest, owner=owner, settings=settings)
            file_store().put(key, data, about)
        else:
            file_store().change(key, settings)
        return None

    def _read(self, data: bytes, name: str, options: ReadOptions, digest: str) -> Source[Choice]:
        """Read a file in the queue; the next run continues after an interrupted one."""
        seconds = SECONDS_TO_READ + len(data) / BYTES_A_SECOND
        key, work = (digest, options.key), (self.read, data, name, options)
        task = ask_task(self._kind_of_reading, key, *work, retry=True, seconds=seconds, here=True)
        wait_for([task])
        self._stop_reading()
        if task.latest is None:
            raise DataError(f"Reading '{name}' was given up, because no browser waited for it; upload it again.")
        return task.latest

    def _stop_reading(self) -> None:
        """Drop an unfinished reading that no run continues."""
        session().tasks.forget(self._kind_of_reading)

    @property
    def _kind_of_reading(self) -> str:
        return f"reading for {self.key}"

    def _add(self, source: Source[Choice], file: UploadedFile) -> None:
        """Keep a table under a free name and pick it.

        Raises DataError if the server's limit is reached.
        """
        start = file.digest[:START]
        name = self.free_name(source.name, start)
        asked = self._shown_name()
        expected = "" if self.is_here(name) else self._expected_address(asked)[-START:]
        self.keep(source, name, file)
        self.state.replaced.discard(name)
        if expected not in {"", start} and (name == asked or is_address(asked)):
            self.state.replaced.add(name)
        self.choose(name)


def _companions(stored: StoredFile) -> dict[str, str]:
    """Return the addresses of the files that a stored one is read with, by name."""
    found: dict[str, str | None] = json.loads(stored.settings.get(COMPANIONS, "{}"))
    return {name: address for name, address in found.items() if address}


def _named(name: str) -> str:
    return f"'{as_text(shortened(name, LONG_NAME))}'"
