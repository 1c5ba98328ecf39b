/** Members of records whose text people search for. */
const searchedMembers = ['name', 'desc'] as const

/**
 * Normalizes the texts of a record that people search for: a letter and its accent may be one character or two, which look
 * the same. Other members are not changed.
 *
 * @see Unicode Standard Annex 15, normalization form C
 */
export function normalizeTexts<T extends Readonly<Record<string, unknown>>>(members: T): T {
  const texts = searchedMembers.flatMap((name) => {
    const value = members[name]
    return typeof value === 'string' ? [[name, value.normalize('NFC')] as const] : []
  })
  return { ...members, ...Object.fromEntries(texts) }
}
