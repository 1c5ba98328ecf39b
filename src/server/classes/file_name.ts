/**
 * Tells what is wrong with the name of a file in a bucket; undefined for one that any program may unpack where it is:
 * relative, without empty parts, `.` or `..`, back slashes, drive letters and control characters.
 */
export function findNameFault(name: string): string | undefined {
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'has control characters'
  if (name.includes('\\')) return 'has a back slash'
  if (/^[a-z]:/i.test(name)) return 'starts with a drive letter'
  if (name.startsWith('/')) return 'is not relative'
  const parts = name.split('/')
  if (parts.some((part) => part.trim() === '')) return 'has an empty part'
  if (parts.some((part) => part === '.' || part === '..')) return 'leads elsewhere'
  return parts.some((part) => Buffer.byteLength(part) > 255)
    ? 'is longer than files may be called'
    : undefined
}
