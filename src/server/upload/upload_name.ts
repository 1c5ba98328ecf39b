/**
 * Reduces the file name of a form part to a relative path below the current folder: no root, drive letter, `.` or
 * `..`. Returns null if nothing is left.
 */
export function relativeName(name: string): string | null {
  const parts = name
    .replace(/^[a-z]:/i, '')
    .split(/[/\\]/)
    .filter((part) => part.trim() !== '' && part !== '.' && part !== '..')
  return parts.length === 0 ? null : parts.join('/')
}
