import type { Bytes } from '../../core/bytes.ts'

/** Follows the unsigned offset at `at`. @see https://flatbuffers.dev/internals */
export function follow({ view }: Bytes, at: number): number {
  return at + view.getUint32(at, true)
}

/** Returns the position of field number `field` in a table; 0 if it is absent. */
export function findField({ view }: Bytes, table: number, field: number): number {
  const vtable = table - view.getInt32(table, true)
  const entry = 4 + 2 * field
  if (entry >= view.getUint16(vtable, true)) return 0
  const offset = view.getUint16(vtable + entry, true)
  return offset === 0 ? 0 : table + offset
}

/** Returns the position of the vector, string or table that field number `field` points to; 0 if it is absent. */
export function findTarget(data: Bytes, table: number, field: number): number {
  const at = findField(data, table, field)
  return at === 0 ? 0 : follow(data, at)
}

/** Returns the number of elements of a vector; 0 if the vector is absent. */
export function vectorLength({ view }: Bytes, vector: number): number {
  return vector === 0 ? 0 : view.getUint32(vector, true)
}

/** Reads a byte field. */
export function readByte(data: Bytes, table: number, field: number): number {
  const at = findField(data, table, field)
  return at === 0 ? 0 : data.view.getUint8(at)
}

/** Reads a string field. */
export function readString(data: Bytes, table: number, field: number): string {
  const at = findTarget(data, table, field)
  return at === 0 ? '' : data.bytes.toString('utf8', at + 4, at + 4 + data.view.getUint32(at, true))
}
