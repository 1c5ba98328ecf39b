/**
 * Finds the fault of a file name in a bucket; undefined for a name that is safe to unpack anywhere: relative, without
 * empty parts, `.`, `..`, backslashes, drive letters or control characters.
 */
export function findNameFault(name: string): string | undefined {
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'has control characters'
  if (name.includes('\\')) return 'has a backslash'
  if (/^[a-z]:/i.test(name)) return 'starts with a drive letter'
  if (name.startsWith('/')) return 'is not relative'
  const parts = name.split('/')
  if (parts.some((part) => part.trim() === '')) return 'has an empty part'
  if (parts.some((part) => part === '.' || part === '..')) return 'has a "." or ".." part'
  return parts.some((part) => new TextEncoder().encode(part).length > 255)
    ? 'is longer than 255 bytes'
    : undefined
}
