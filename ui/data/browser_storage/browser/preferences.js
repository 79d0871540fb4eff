// @ts-check
// Small things that a browser remembers: whether files shall be kept, which data was used last, what columns mean.

/** @import { KeptChoices } from "./rules.js" */

const KEY = "multiloss files"

/**
 * By kind of data: the name of what was used last, and choices of columns.
 * @typedef {{ refused?: boolean, using?: Record<string, string>, choices?: Record<string, KeptChoices> }} Preferences
 */

/** Nothing where the browser refuses to say. @returns {Preferences} */
export function preferences() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}")
  } catch {
    return {}
  }
}

/** @param {Preferences} changed */
export function prefer(changed) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...preferences(), ...changed }))
  } catch {
    // Refused or full: the next visit begins without them.
  }
}

// What a server sees when a visit begins; by port, as IndexedDB is, which cookies are not.
/** @param {string} text */
export function tellServer(text) {
  const days = text ? 400 : 0
  document.cookie = `multiloss_files_${location.port}=${text}; path=/; max-age=${days * 86_400}; SameSite=Strict`
}
