import { BinaryReader } from 'google-protobuf'
import type { Values } from './property_values.ts'

/**
 * Decodes a `google.protobuf.Struct` to plain values, without the message objects of the generated code, which take most of the
 * time of a large refresh. Keys are sorted, as there.
 *
 * @see google/protobuf/struct.proto
 */
export function decodeStruct(bytes: Uint8Array): Values {
  return readStruct(new BinaryReader(bytes))
}

/** A value that a message is read into: the reader of a nested message returns nothing. */
interface Slot {
  value: unknown
}

type Entry = [key: string, value: unknown]

function readStruct(reader: BinaryReader): Values {
  const entries: Entry[] = []
  while (reader.nextField()) reader.readMessage(entries, readEntry)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function readEntry(entries: Entry[], reader: BinaryReader): void {
  let key = ''
  const slot: Slot = { value: null }
  while (reader.nextField())
    if (reader.getFieldNumber() === 1) key = reader.readString()
    else reader.readMessage(slot, readValue)
  entries.push([key, slot.value])
}

function readValue(slot: Slot, reader: BinaryReader): void {
  while (reader.nextField()) {
    const field = reader.getFieldNumber()
    if (field === 2) slot.value = reader.readDouble()
    else if (field === 3) slot.value = reader.readString()
    else if (field === 4) slot.value = reader.readBool()
    else if (field === 5) reader.readMessage(slot, readNested)
    else if (field === 6) reader.readMessage(slot, readList)
    // Null, and what a later version may add.
    else reader.skipField()
  }
}

function readNested(slot: Slot, reader: BinaryReader): void {
  slot.value = readStruct(reader)
}

function readList(slot: Slot, reader: BinaryReader): void {
  const items: unknown[] = []
  while (reader.nextField()) {
    const item: Slot = { value: null }
    reader.readMessage(item, readValue)
    items.push(item.value)
  }
  slot.value = items
}
