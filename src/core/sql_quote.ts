/** Quotes the name of a table or column for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes a string for SQL without backslash escapes, such as SQLite's. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
