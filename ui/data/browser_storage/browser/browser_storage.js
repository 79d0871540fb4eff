// @ts-check
// Keeps the files that the server has read, and brings the one back that it asks for. All is asked for in messages of
// Python; nothing here reads a file.

/** @import { ChoicesMessage, FilesMessage, LoadedFile, FileEvent } from "./messages.d.ts" */
/** @import { KeptFile } from "./rules.js" */
import { connect, show } from "./controls.js"
import { prefer, preferences, informServer } from "./preferences.js"
import { checked, cookieText, found, labelOf, labelOfLoaded, news, toLeave, withChoices } from "./rules.js"
import { Shelf } from "./shelf.js"
import { atRest, putInto, watchUploaders } from "./uploader.js"

/** @typedef {(event: FileEvent) => void} Send */
/** @typedef {{ message: FilesMessage, root: HTMLElement, send: Send }} Place */

class Keeper {
  #shelf = new Shelf()
  /** The last message of each kind of data, by the uploader's key. @type {Map<string, Place>} */
  #places = new Map()
  /** Files that came in since the page was opened. @type {Map<string, File>} */
  #arrived = new Map()
  /** What was asked for once is not tried again before it was there. @type {Set<string>} */
  #tried = new Set()
  /** Sessions that received the column choices, by kind of data. @type {Set<string>} */
  #knowing = new Set()
  #lastLabel = ""
  /** The last message answered with an event. */
  #answered = ""
  #refused = false
  #notice = ""
  /** One thing after the other. */
  #work = Promise.resolve()

  constructor() {
    watchUploaders(() => [...this.#places.keys()], file => this.#arrived.set(labelOf(file), file))
  }

  /** @param {FilesMessage} message @param {HTMLElement} root @param {Send} send */
  take(message, root, send) {
    const place = { message, root, send }
    this.#places.set(message.uploader, place)
    connect(root, {
      keep: wanted => this.#then(() => this.#keep(wanted)),
      forget: () => this.#then(() => this.#forget()),
    })
    this.#then(() => this.#follow(place))
  }

  /** @param {Pick<ChoicesMessage, "shelf" | "choices">} message */
  takeChoices({ shelf, choices }) {
    if (!this.#keeps) return
    const kept = preferences().choices ?? {}, before = kept[shelf] ?? {}
    const newer = Object.entries(choices).filter(([of, text]) => before[of]?.text !== text)
    if (!newer.length) return
    prefer({ choices: { ...kept, [shelf]: withChoices(before, Object.fromEntries(newer), Date.now()) } })
  }

  /** Those of the page that is open. */
  get #shown() {
    return [...this.#places.values()].filter(({ root }) => root.isConnected)
  }

  get #keeps() {
    return !preferences().refused
  }

  /** @param {() => Promise<void>} step */
  #then(step) {
    this.#work = this.#work.then(step).catch(error => console.warn("Files kept in this browser:", error))
  }

  // Earlier column choices; Python needs them once, before it reads a file.
  /** @param {FilesMessage} message @returns {FileEvent} */
  #choices({ shelf, visit, is_open: isOpen }) {
    const about = `${visit} ${shelf}`
    if (!isOpen || this.#knowing.has(about)) return {}
    this.#knowing.add(about)
    const kept = Object.entries(preferences().choices?.[shelf] ?? {})
    return kept.length ? { choices: Object.fromEntries(kept.map(([of, { text }]) => [of, text])) } : {}
  }

  /** @param {Place} place */
  async #follow(place) {
    const { shelf, visit, acknowledged, wanted, loaded, using, limit } = place.message
    for (const { name } of loaded) this.#tried.delete(`${visit} ${name}`)
    const choices = this.#choices(place.message)
    this.takeChoices(place.message)
    if (this.#keeps) {
      for (const file of loaded) await this.#store(shelf, file, limit)
      if (using !== null) await this.#use(shelf, using)
    }
    const files = await this.#files()
    const event = { ...this.#show(place, files), ...choices }
    const isNews = Object.keys(event).length > 0
    if (wanted && isNews) {
      // A file that comes while the page runs anew may be lost, so the next message is waited for.
      this.#answered = `${visit} ${acknowledged}`
      place.send(event)
    } else if (wanted && this.#answered !== `${visit} ${acknowledged}` && !this.#tried.has(`${visit} ${wanted.name}`)) {
      this.#tried.add(`${visit} ${wanted.name}`)
      await this.#bringBack(place, found(files.filter(file => file.shelf === shelf), wanted), wanted.name)
    } else if (isNews) {
      void atRest().then(() => place.send(event))
    }
  }

  /** @param {Place} place @param {KeptFile | undefined} kept @param {string} name */
  async #bringBack({ message, send }, kept, name) {
    if (!kept || !await putInto(message.uploader, new File([kept.file], kept.name))) send({ gone: name })
  }

  /** What is kept; nothing where the browser refuses. */
  async #files() {
    try {
      const files = await this.#shelf.files()
      this.#refused = false
      return files
    } catch {
      this.#refused = true
      return []
    }
  }

  // Keep a file that the server has read, unless it is kept.
  /** @param {string} shelf @param {LoadedFile} loaded @param {number} limit */
  async #store(shelf, loaded, limit) {
    const file = this.#arrived.get(labelOfLoaded(loaded))
    if (!file) return
    const { name, digest, size } = loaded, files = await this.#files()
    if (this.#refused || files.some(kept => kept.shelf === shelf && kept.digest === digest)) return
    try {
      if (!await hasDigest(file, digest)) return
      await this.#makeRoom(files, { shelf, name, digest, size, used: Date.now(), file }, limit)
    } catch {
      // Such as a file that was changed on the disk since.
      this.#showNotice(`This browser would not keep ${name}.`)
    }
  }

  /** Take note of the data on the screen. @param {string} shelf @param {string} name */
  async #use(shelf, name) {
    const { using } = preferences()
    if (using?.[shelf] === name) return
    prefer({ using: { ...using, [shelf]: name } })
    const kept = found((await this.#files()).filter(file => file.shelf === shelf), { name, digest: "" })
    if (kept) await this.#put({ ...kept, used: Date.now() })
  }

  /** @param {KeptFile[]} others @param {KeptFile} file @param {number} limit */
  async #makeRoom(others, file, limit) {
    const leaving = toLeave(others, file.size, limit)
    if (!leaving) return this.#showNotice(`${file.name} is too large to be kept in this browser.`)
    await this.#shelf.remove(leaving)
    while (!await this.#put(file)) {
      // The browser's own limit may be lower.
      const [next] = toLeave(others.filter(kept => !leaving.includes(kept)), limit, limit) ?? []
      if (!next) return this.#showNotice(`This browser would not keep ${file.name}.`)
      await this.#shelf.remove([next])
      leaving.push(next)
    }
    this.#showNotice(leaving.length
      ? `No longer kept in this browser, to make room: ${leaving.map(({ name }) => name).join(", ")}.` : "")
  }

  /** False where there is no room. @param {KeptFile} file */
  async #put(file) {
    try {
      await this.#shelf.put(file)
      return true
    } catch (error) {
      if (error instanceof DOMException && error.name === "QuotaExceededError") return false
      throw error
    }
  }

  /** @param {string} notice */
  #showNotice(notice) {
    this.#notice = notice
  }

  // Show what is kept; returns what the server does not know of it.
  /** @param {Place} place @param {KeptFile[]} files @returns {FileEvent} */
  #show({ message, root }, files) {
    const { limit, shelf } = message
    show(root, { keeps: this.#keeps, refused: this.#refused, files, limit, notice: this.#notice })
    informServer(cookieText(files, preferences().using ?? {}))
    const kept = news(files.filter(file => file.shelf === shelf), message)
    const label = JSON.stringify([message.visit, shelf, kept])
    if (!kept || label === this.#lastLabel) return {}
    this.#lastLabel = label
    return { kept }
  }

  /** @param {boolean} wanted */
  async #keep(wanted) {
    prefer({ refused: !wanted })
    if (!wanted) return this.#clear("")
    for (const place of this.#shown) await this.#follow(place)
  }

  async #forget() {
    this.#arrived.clear()
    await this.#clear("Forgotten. What is loaded stays until this page is closed.")
  }

  /** @param {string} notice */
  async #clear(notice) {
    await this.#shelf.remove(await this.#files())
    prefer({ using: {}, choices: {} })
    this.#showNotice(notice)
    for (const place of this.#shown) {
      const event = this.#show(place, [])
      if (event.kept) place.send(event)
    }
  }
}

// True where it cannot be known: pages that do not come by https have no digests.
/** @param {File} file @param {string} digest */
async function hasDigest(file, digest) {
  if (!globalThis.crypto?.subtle) return true
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("") === digest
}

/** One for the page: Streamlit may draw its places anew. @type {Keeper | undefined} */
let keeper

// What Streamlit calls whenever Python sent something, and what it gives.
/** @typedef {(name: "event", event: FileEvent) => void} Trigger */
/** @param {{ data: FilesMessage | ChoicesMessage, parentElement: HTMLElement, setTriggerValue: Trigger }} component */
export default function ({ data, parentElement, setTriggerValue }) {
  keeper ??= new Keeper()
  const message = checked(data)
  if (!("uploader" in message)) return keeper.takeChoices(message)
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".kept-files"))
  keeper.take(message, root, event => setTriggerValue("event", event))
}
