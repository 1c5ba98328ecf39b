/** Writes the name of a table or column as SQL does. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Writes a text as SQL does that knows no backslashes, such as SQLite's. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
