import { BinaryReader, BinaryWriter } from 'google-protobuf'
import { type Properties, unwrapProperties, type Values, writeProperties } from './property_values.ts'

/**
 * A request to read a resource. A refresh sends one for each resource of a stack, with all of its properties: they are decoded
 * only when they are needed, and sent back as they came if they have not changed.
 *
 * @see pulumi/provider.proto, ReadRequest
 */
export class ReadCall {
  readonly id: string
  readonly urn: string
  readonly #properties: Uint8Array
  readonly #inputs: Uint8Array

  constructor(bytes: Uint8Array) {
    const none: Uint8Array = new Uint8Array()
    const found = { id: '', urn: '', properties: none, inputs: none }
    const reader = new BinaryReader(bytes)
    while (reader.nextField()) {
      const field = reader.getFieldNumber()
      if (field === 1) found.id = reader.readString()
      else if (field === 2) found.urn = reader.readString()
      else if (field === 3) found.properties = reader.readBytes()
      else if (field === 4) found.inputs = reader.readBytes()
      else reader.skipField()
    }
    this.id = found.id
    this.urn = found.urn
    this.#properties = found.properties
    this.#inputs = found.inputs
  }

  /** Decodes the inputs; empty for imports. */
  readInputs(): Properties {
    return unwrapProperties(decodeStruct(this.#inputs))
  }

  /** Decodes the outputs of the last update. */
  readOutputs(): Properties {
    return unwrapProperties(decodeStruct(this.#properties))
  }

  /** Answers that the inputs have not changed, with the outputs that are no inputs. */
  answerUnchanged(id: string, own: Values): ReadAnswer {
    // Messages that follow each other are one with the fields of both.
    const properties = Buffer.concat([this.#inputs, writeProperties(own).serializeBinary()])
    return { id, inputs: this.#inputs, properties }
  }
}

/**
 * An answer to a request to read; without an id, the resource is gone.
 *
 * @see pulumi/provider.proto, ReadResponse
 */
export interface ReadAnswer {
  readonly id?: string
  /** Encoded `google.protobuf.Struct`. */
  readonly properties?: Uint8Array
  readonly inputs?: Uint8Array
}

/** A value that a message is read into: the reader of a nested message returns nothing. */
interface Slot {
  value: unknown
}

type Entry = [key: string, value: unknown]

/** Encodes an answer. */
export function encodeAnswer({ id, properties, inputs }: ReadAnswer): Buffer {
  const writer = new BinaryWriter()
  if (id !== undefined) writer.writeString(1, id)
  if (properties !== undefined) writer.writeBytes(2, properties)
  if (inputs !== undefined) writer.writeBytes(3, inputs)
  return Buffer.from(writer.getResultBuffer())
}

/**
 * Decodes a `google.protobuf.Struct` to plain values, without the message objects of the generated code, which take most of the
 * time of a large refresh. Keys are sorted, as there.
 *
 * @see google/protobuf/struct.proto
 */
export function decodeStruct(bytes: Uint8Array): Values {
  return readStruct(new BinaryReader(bytes))
}

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
