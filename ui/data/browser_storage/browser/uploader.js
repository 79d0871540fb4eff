// @ts-check
// The page's own file uploader: files that come in by it are seen, and kept ones are put into it.

const MILLISECONDS_TO_APPEAR = 10_000

/** @param {string} key */
const place = key => document.querySelector(`.st-key-${key}`)

/** @param {string} key @returns {HTMLInputElement | null | undefined} */
const inputOf = key => place(key)?.querySelector("input[type=file]")

// Call `see` with each file that the user chooses or drops, before the uploader gets it.
/** @param {() => string[]} keys @param {(file: File) => void} see */
export function watchUploaders(keys, see) {
  /** @param {Event} event @param {FileList | null | undefined} files */
  const note = (event, files) => {
    const { target } = event
    const isOurs = keys().some(key => target instanceof Node && place(key)?.contains(target))
    if (isOurs) for (const file of files ?? []) see(file)
  }
  document.addEventListener("change", event => {
    if (event.target instanceof HTMLInputElement) note(event, event.target.files)
  }, true)
  document.addEventListener("drop", event => note(event, event.dataTransfer?.files), true)
}

// As if the user had chosen the file: it takes the way of every upload. False where no uploader came.
/** @param {string} key @param {File} file */
export async function putInto(key, file) {
  const input = await appeared(() => inputOf(key))
  if (!input) return false
  const transfer = new DataTransfer()
  transfer.items.add(file)
  input.files = transfer.files
  input.dispatchEvent(new Event("change", { bubbles: true }))
  return true
}

/** Fulfilled once the page's script has run to its end: what Python hears before makes it run anew. */
export function atRest() {
  return appeared(() => document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]"))
}

/** @template T @param {() => T | null | undefined} find @returns {Promise<T | null | undefined>} */
function appeared(find) {
  return new Promise(resolve => {
    const there = find()
    if (there) return resolve(there)
    const observer = new MutationObserver(() => {
      const now = find()
      if (now) end(now)
    })
    const timer = setTimeout(() => end(undefined), MILLISECONDS_TO_APPEAR)
    /** @param {T | undefined} result */
    const end = result => {
      clearTimeout(timer)
      observer.disconnect()
      resolve(result)
    }
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-test-script-state"] })
  })
}
