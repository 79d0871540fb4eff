// @ts-check
// Which files stay, which leave, and how they are found again. Nothing here knows of the page or of the storage.

/** @import { FileName, FilesMessage, LoadedFile } from "./messages.d.ts" */

/**
 * A file in the browser's storage: of which kind of data, how the screen calls it, its SHA-256, when it was used last.
 * @typedef {{ shelf: string, name: string, digest: string, size: number, used: number, file: Blob }} KeptFile
 */
/** @typedef {Record<string, { text: string, used: number }>} KeptChoices */

export const CONTRACT = 1
// This prefix of a digest identifies a file.
const START = 12
// Browsers cut cookies off at 4,096.
const MAX_COOKIE = 3500
const MAX_IN_COOKIE = 50
const MAX_CHOICES = 60
const MAX_CHOICE = 20_000

// The message itself; throws where it is of another contract, as from an application that was replaced meanwhile.
/** @template {{ contract: number }} M @param {M} message @returns {M} */
export function checked(message) {
  if (message?.contract === CONTRACT) return message
  throw new TypeError(`The storage was sent a message of contract ${message?.contract} instead of ${CONTRACT}.`)
}

// The files that must leave before one of so many bytes comes, the longest unused first; undefined: it never fits.
/** @param {KeptFile[]} files @param {number} size @param {number} limit @returns {KeptFile[] | undefined} */
export function toLeave(files, size, limit) {
  if (size > limit) return undefined
  const oldestFirst = files.toSorted((one, other) => one.used - other.used)
  let total = size + totalSize(files)
  return oldestFirst.filter(({ size: bytes }) => {
    const leaves = total > limit
    if (leaves) total -= bytes
    return leaves
  })
}

/** @param {{ size: number }[]} files */
export function totalSize(files) {
  return files.reduce((sum, { size }) => sum + size, 0)
}

// The file of that name with that content, else the one used last of that name, else any with that content.
/** @param {KeptFile[]} files @param {FileName} wanted @returns {KeptFile | undefined} */
export function found(files, { name, digest }) {
  const named = files.filter(file => file.name === name).toSorted((one, other) => other.used - one.used)
  /** @param {KeptFile} file */
  const isThis = file => digest && file.digest.startsWith(digest)
  return named.find(isThis) ?? named[0] ?? files.find(isThis)
}

/** @param {KeptFile[]} files @returns {FileName[]} */
export function namesOf(files) {
  const lastFirst = files.toSorted((one, other) => other.used - one.used)
  return lastFirst.map(({ name, digest }) => ({ name, digest: digest.slice(0, START) }))
}

// What Python must hear of the files of a kind that are kept; undefined where it knows: files that are loaded may be
// kept or not.
/** @typedef {Pick<FilesMessage, "kept" | "loaded">} Known */
/** @param {KeptFile[]} files @param {Known} message @returns {FileName[] | undefined} */
export function news(files, { kept, loaded }) {
  /** @param {FileName} file */
  const label = ({ name, digest }) => `${digest.slice(0, START)} ${name}`
  const names = namesOf(files), actual = new Set(names.map(label))
  const believed = new Set(kept.map(label)), here = new Set(loaded.map(label))
  const isRight = [...believed].every(one => actual.has(one))
    && [...actual].every(one => believed.has(one) || here.has(one))
  return isRight ? undefined : names
}

// For the start of a session, by kind of data: the files, last used first, and the data used
// last. The longest unused files are left out where it gets too long.
/** @param {KeptFile[]} files @param {Record<string, string>} using */
export function cookieText(files, using) {
  const shown = files.toSorted((one, other) => other.used - one.used).slice(0, MAX_IN_COOKIE)
  for (;;) {
    /** @type {Record<string, { using: string, files: string[][] }>} */
    const shelves = {}
    for (const shelf of new Set(shown.map(file => file.shelf))) {
      const names = namesOf(shown.filter(file => file.shelf === shelf))
      const last = names.some(({ name }) => name === using[shelf]) ? using[shelf] : ""
      shelves[shelf] = { using: last, files: names.map(({ name, digest }) => [name, digest]) }
    }
    const text = shown.length ? encodeURIComponent(JSON.stringify(shelves)) : ""
    if (text.length <= MAX_COOKIE) return text
    shown.pop()
  }
}

// Choices with newer ones, the longest unused left out, and such that are no choice of a person.
/** @param {KeptChoices} choices @param {Record<string, string>} newer @param {number} now @returns {KeptChoices} */
export function withChoices(choices, newer, now) {
  const fitting = Object.entries(newer).filter(([, text]) => text.length <= MAX_CHOICE)
  const all = { ...choices, ...Object.fromEntries(fitting.map(([of, text]) => [of, { text, used: now }])) }
  return Object.fromEntries(Object.entries(all).sort(([, a], [, b]) => b.used - a.used).slice(0, MAX_CHOICES))
}

// A file read by the server, identified by its original name and size.
/** @param {{ name: string, size: number }} file */
export function labelOf({ name, size }) {
  return `${size} ${name}`
}

/** @param {LoadedFile} loaded */
export function labelOfLoaded({ given_name, size }) {
  return labelOf({ name: given_name, size })
}

/** @param {number} bytes */
export function sizeInWords(bytes) {
  if (bytes < 1000) return `${bytes} B`
  const [unit, size] = bytes < 1e6 ? ["kB", bytes / 1e3] : ["MB", bytes / 1e6]
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`
}

/** @param {number} number @param {string} noun */
export function countInWords(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}
