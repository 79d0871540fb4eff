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
    // Refused or full: the next session starts without them.
  }
}

// Sent to the server at the start of a session; by port like IndexedDB, unlike cookies.
/** @param {string} text */
export function informServer(text) {
  const days = text ? 400 : 0
  document.cookie = `multiloss_files_${location.port}=${text}; path=/; max-age=${days * 86_400}; SameSite=Strict`
}
