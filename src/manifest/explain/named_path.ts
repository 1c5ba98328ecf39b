import { descriptorOf, isCls } from '../../contract/registry.ts'
import { itemNamer, numberNames } from '../../contract/schema/item_names.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { PlacedBlock } from '../manifest_block.ts'

/** A place in a block. */
export interface NamedPlace {
  /** With the indexes of items of lists. */
  readonly pointer: Pointer
  /** As in plans: with the names of items that have some. */
  readonly names: readonly string[]
  /** If there is no such place: what the last part that exists has. */
  readonly others?: readonly string[]
}

/** A value with its schema, if that is known. */
interface Part {
  readonly value: unknown
  readonly schema: Schema | undefined
}

/** Finds a place by the names of members and items, or by indexes. Names may have dots. */
export function findPlace({ value }: Pick<PlacedBlock, 'value'>, path: readonly string[]): NamedPlace {
  const members = isCls(value.cls) ? descriptorOf(value.cls).members : {}
  let part: Part = { value, schema: { properties: members } as Schema }
  const [at, names]: [string[], string[]] = [[], []]
  for (let done = 0; done < path.length; ) {
    const inner = partsOf(part)
    const found = findLongest(inner, path.slice(done))
    if (found === undefined) {
      const rest = path.slice(done)
      const others = [...inner.keys()]
      return { pointer: joinPointer('', ...at, ...rest), names: [...names, ...rest], others }
    }
    at.push(found.token)
    names.push(found.name)
    part = found.part
    done += found.length
  }
  return { pointer: joinPointer('', ...at), names }
}

interface NamedPart {
  readonly token: string
  readonly name: string
  readonly part: Part
}

/** Lists the members of a map, or the items of a list by name, else by index. */
function partsOf({ value, schema }: Part): ReadonlyMap<string, NamedPart> {
  const fitting = schema && (findSchemaFor(schema, value) ?? schema)
  if (Array.isArray(value)) {
    const namer = fitting && itemNamer(fitting)
    const names =
      namer === undefined ? undefined : numberNames(value.map((item) => (isObject(item) ? namer(item) : '')))
    return new Map(
      value.map((item, index) => {
        const name = names?.[index] || String(index)
        return [name, { token: String(index), name, part: { value: item, schema: fitting?.items } }]
      }),
    )
  }
  if (!isObject(value)) return new Map()
  const properties = fitting?.properties as Readonly<Record<string, Schema>> | undefined
  return new Map(
    Object.entries(value).map(([name, one]) => [
      name,
      { token: name, name, part: { value: one, schema: properties?.[name] } },
    ]),
  )
}

/** Finds the part with the longest name that a path starts with; the index of an item is a name, too. */
function findLongest(parts: ReadonlyMap<string, NamedPart>, path: readonly string[]) {
  for (let length = path.length; length > 0; length -= 1) {
    const found = parts.get(path.slice(0, length).join('.'))
    if (found !== undefined) return { ...found, length }
  }
  const found = [...parts.values()].find(({ token }) => token === path[0])
  return found && { ...found, length: 1 }
}
