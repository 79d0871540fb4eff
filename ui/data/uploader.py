"""Draw the uploader and the picker of tables, and exchange files with the browser."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from multiloss_core import DataError
from multiloss_core.datasets import Source
from multiloss_core.formatting import shortened
from multiloss_core.tables import MAX_FILE_BYTES, MAX_LINES, ReadOptions
from multiloss_core.thresholds import UncertainFloorsError
from ui.data.browser_storage.component import MAX_BYTES, MAX_NAME, keep_choices, keep_files, kept_before
from ui.data.browser_storage.messages import CONTRACT, FileEvent, FileName
from ui.data.store import START, Choice, Data, TableStore, is_start, memory_of, reading_of
from ui.shared.formatting import LONG_NAME, as_label, as_text
from ui.shared.long_work import begin, wait_for
from ui.shared.page_setup import reading
from ui.shared.session import UploadedFile, session
from ui.shared.url_params import UrlParameter

# About what a small file takes, and what a large one: for the order of readings only.
SECONDS_TO_READ, BYTES_A_SECOND = 0.2, 8e6
# In pixels, with its label.
KEPT, NOT_LOADED = " (kept in this browser)", " (not loaded)"


@dataclass(frozen=True, kw_only=True)
class Uploader(TableStore[Choice, Data]):
    """Widgets of one kind of table.

    `key`: that of the picker, also in the URL; `label` and `hint` are the picker's words, and `upload_key`,
    `upload_label` and `upload_hint` the uploader's.
    """

    key: str
    label: str
    hint: str
    upload_key: str
    upload_label: str
    upload_hint: str

    def ask_upload(self, *, with_controls: bool = True) -> None:
        """Draw the uploader, the result of the last file, and the place of storage."""
        with st.container(key=f"{self.upload_key}_room"):
            uploaded = st.file_uploader(
                self.upload_label,
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
        if uploaded is not None:
            self._ask_options(uploaded.getvalue, uploaded.name)
        if self.state.complaint:
            shown = self._shown_name()
            still = f" Still shown: {_named(shown)}." if self.is_here(shown) else ""
            st.error(as_text(self.state.complaint) + still, icon=":material/error:")
        elif self.state.note:
            st.info(as_text(self.state.note), icon=":material/info:")
        self._keep_files(is_open=True, with_controls=with_controls)

    def _ask_options(self, data: Callable[[], bytes], name: str) -> None:
        """Ask which sheet, lines and rows of the file in the uploader to read, and read it again."""
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
        of_file = f"{self.upload_key}_{self.state.last_upload}"
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
            st.form_submit_button("Read again", on_click=st.session_state.__setitem__, args=(asked, True))
        is_asked = st.session_state.get(asked, False)
        if is_asked:
            options = ReadOptions(header_line=header_line, skip_last=skip_last, leave_out_repeats=repeats)
        if is_asked or (source is not None and is_shown and sheet != source.sheet):
            with reading(name):
                self.state.complaint = self._take_file(data(), name, replace(options, sheet=sheet))
            st.session_state[asked] = False

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
        st.session_state[self.key] = self.state.picked = name

    def pick(self, load: Callable[[], None] | None = None) -> Source[Choice]:
        """Ask for a sample or a loaded table; the pick is kept across pages and in the URL.

        `load` draws the inputs that bring and pick tables, so it runs before the picker. The page stops if the picked
        table is not loaded.
        """
        self._follow_address()
        picker, below = st.container(), st.container()
        if load is not None:
            load()
        with below:
            if not self.is_here(self._shown_name()):
                self._say_missing(self._shown_name())
                if load is None:
                    self.ask_upload(with_controls=False)
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
            elif load is None:
                self._keep_files(is_open=False, with_controls=False)
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
            if source.name in self.state.sources:
                # The page reported its files to the browser before the columns were known.
                keep_choices(self.key, self.choices_to_keep())
            return data
        try:
            data = self.build(source, self.choice_for(source))
        except DataError:
            st.info(f"Correct the columns above, or pick other {noun}. Nothing that you loaded is lost.")
            return None
        st.info("Below is still the last choice of columns that worked.")
        return data

    def in_address(self, name: str) -> dict[str, str]:
        """Return the URL text of a table: a sample's name or the fingerprint of a file."""
        start = self.start_of(name)
        if start is None:
            return {self.key: name} if name in self.samples else {}
        return {self._file_in_address.name: start}

    @property
    def _address(self) -> UrlParameter[str]:
        """The name of the sample that is picked, in the URL."""
        return UrlParameter(self.key, lambda text: text[:MAX_NAME] or None, str)

    @property
    def _file_in_address(self) -> UrlParameter[str]:
        """The beginning of the SHA-256 of the file that is picked, in the URL: names stay out of it."""
        return UrlParameter(f"{self.key}_file", lambda text: text[:START] if is_start(text[:START]) else None, str)

    def _follow_address(self) -> None:
        """Pick the table of a link, or in a new session the table used last in this browser."""
        last = None
        if self.state.kept is None:
            last, kept = kept_before(self.key)
            self._apply_event({"kept": kept})
        first = next(iter(self.samples))
        asked = self._asked(first)
        # The picker of another page is another widget, which knows nothing of this one's value.
        page, self.state.page = self.state.page, session().page
        # A browser may say the words of a moment ago, when the file was not loaded yet.
        picked = str(st.session_state.get(self.key, "")).removesuffix(KEPT).removesuffix(NOT_LOADED)
        known = picked if picked in self._names() else None
        if asked is not None or page != session().page or known is None or known != st.session_state.get(self.key):
            here = None if page != session().page else known
            self.choose(asked or here or self.state.picked or last or first)
        if is_start(self._shown_name()):
            # The browser may have reported its files meanwhile.
            self.choose(self._known_as(self._shown_name()))

    def _asked(self, first: str) -> str | None:
        """Return what a link newly asks for; `first` after a step back from another sample.

        A file stays picked where an address does not name it: after a reload, the browser may give the address of a
        moment before.
        """
        name, start = self._address.asked(if_gone=first), self._file_in_address.asked()
        if self._address.shown() is not None:
            return name
        if self._file_in_address.shown() is not None:
            return self._known_as(start) if start else None
        return None if self.state.picked in self.state.sources else name

    def _known_as(self, start: str) -> str:
        """Return the name of a loaded or stored file by its SHA-256; else the given beginning."""
        known = {name: file.digest[:START] for name, file in self.state.files.items()} | (self.state.kept or {})
        return next((name for name, digest in known.items() if digest == start), start)

    def _show_in_address(self, name: str) -> None:
        """Write the data to the URL; the first sample needs no name while no file is loaded."""
        nameless = name == next(iter(self.samples)) and not self.state.sources and not self.state.kept
        asked = {} if nameless else self.in_address(name)
        for parameter in (self._address, self._file_in_address):
            parameter.show(asked.get(parameter.name))

    def _names(self) -> list[str]:
        """List what can be picked, and what is picked though it is not there."""
        names = [*self.samples, *self.state.sources, *(self.state.kept or ()), self.state.picked]
        return [name for name in dict.fromkeys(names) if name is not None]

    def _ask_name(self) -> str:
        picked = st.selectbox(self.label, self._names(), format_func=self._in_words, key=self.key, help=self.hint)
        self.state.picked = str(picked)
        return self.state.picked

    def _in_words(self, name: str) -> str:
        return name if self.is_here(name) else name + (KEPT if self.is_kept(name) else NOT_LOADED)

    def _shown_name(self) -> str:
        """Return the name of what is picked, loaded or not."""
        return str(st.session_state.get(self.key, self.state.picked))

    def _wanted(self) -> FileName | None:
        """Return the file that the browser shall bring back, if any."""
        name = self._shown_name()
        if self.is_here(name) or name in self.state.gone or self.state.complaint is not None:
            return None
        return {"name": name, "digest": self._expected_start(name)}

    def _expected_start(self, name: str) -> str:
        """Return the beginning of the SHA-256 of a file that is not loaded, empty if unknown."""
        start = self._file_in_address.shown()
        if start and name in (start, self._address.shown() or self._known_as(start)):
            return start
        return (self.state.kept or {}).get(name, "")

    def _say_missing(self, name: str) -> None:
        if self._wanted() is not None:
            which = "your file" if is_start(name) else _named(name)
            st.info(f"Bringing back {which} from this browser …", icon=":material/hourglass_top:")
        else:
            which = f"it again (its SHA-256 begins with {name})" if is_start(name) else f"{_named(name)} again"
            st.warning(
                f"Your file is not loaded any more. Upload {which} to go on where you were.",
                icon=":material/upload_file:",
            )

    def _keep_files(self, *, is_open: bool, with_controls: bool) -> None:
        name = self._shown_name()
        keep_files(
            {
                "contract": CONTRACT,
                "shelf": self.key,
                "visit": session().visit,
                "acknowledged": self.state.acknowledged,
                "uploader": self.upload_key,
                "is_open": is_open,
                "wanted": self._wanted(),
                "using": name if self.is_here(name) else None,
                "loaded": [
                    {"name": name, "given_name": file.given_name, "size": file.size, "digest": file.digest}
                    for name, file in self.state.files.items()
                    if file.given_name
                ],
                "kept": [{"name": name, "digest": digest} for name, digest in (self.state.kept or {}).items()],
                "limit": MAX_BYTES,
                "choices": self.choices_to_keep(),
            },
            with_controls=with_controls,
            on_event=self._apply_event,
        )

    def _apply_event(self, event: FileEvent) -> None:
        """Apply an event of the browser."""
        self.state.acknowledged += 1
        if "kept" in event:
            # The one used last, which comes first, of those with one name.
            self.state.kept = {file["name"]: file["digest"][:START] for file in reversed(event["kept"])}
        if "gone" in event:
            self.state.gone.add(event["gone"])
            (self.state.kept or {}).pop(event["gone"], None)
        if "choices" in event:
            self.state.remembered = event["choices"] | self.state.remembered

    def _take_file(self, data: bytes, name: str, options: ReadOptions | None = None) -> str | None:
        """Read a file and pick its table, or show why it cannot be read and change nothing.

        It is read by `options`, or by the remembered ones.
        """
        digest = hashlib.sha256(data).hexdigest()
        try:
            source = self._read(data, name, options or self.options_of(digest), digest)
            self._add(source, UploadedFile(given_name=name, size=len(data), digest=digest, memory=memory_of(source)))
        except DataError as error:
            return str(error)
        if options is not None:
            self.state.remembered[reading_of(digest)] = options.key
        return None

    def _read(self, data: bytes, name: str, options: ReadOptions, digest: str) -> Source[Choice]:
        """Read a file in the queue; the next run continues after an interrupted one."""
        state, asked = self.state, (digest, options.key)
        if state.reading is None or state.reading[0] != asked or state.reading[1].cancelled:
            self._stop_reading()
            seconds = SECONDS_TO_READ + len(data) / BYTES_A_SECOND
            state.reading = asked, begin(self.read, data, name, options, seconds=seconds, here=True)
        _, task = state.reading
        try:
            wait_for([task])
        except Exception:
            state.reading = None
            raise
        state.reading = None
        if task.latest is None:
            raise DataError(f"Reading '{name}' was given up, because no browser waited for it; upload it again.")
        return task.latest

    def _stop_reading(self) -> None:
        """Drop an unfinished reading that no run continues."""
        if self.state.reading is not None:
            self.state.reading[1].cancel()
            self.state.reading = None

    def _add(self, source: Source[Choice], file: UploadedFile) -> None:
        """Keep a table under a free name and pick it.

        Raises DataError if the server's limit is reached.
        """
        start = file.digest[:START]
        name = self.free_name(source.name, start)
        expected, asked = "" if self.is_here(name) else self._expected_start(name), self._shown_name()
        self.keep(source, name, file)
        self.state.replaced.discard(name)
        if (name == asked and not start.startswith(expected)) or (is_start(asked) and start != asked):
            self.state.replaced.add(name)
        self.choose(name)


def _named(name: str) -> str:
    return f"'{as_text(shortened(name, LONG_NAME))}'"
