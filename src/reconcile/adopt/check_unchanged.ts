import { isDeepStrictEqual } from 'node:util'
import { isMarkerKey } from '../../contract/markers.ts'
import { isObject } from '../../core/is_object.ts'
import { type ActualResource, type ActualTree, labelOf } from '../model/actual_tree.ts'

/** A part of a resource that differs between two reads of a server. */
export interface Difference {
  /** Keyname or `#id`. */
  readonly key: string
  /** Path of the part, such as `resource.description`; empty if the resource appeared or disappeared. */
  readonly part: string
  readonly kind: 'changed' | 'appeared' | 'disappeared'
}

/** Fields that a write of keyname and marks changes too. */
const written: ReadonlySet<string> = new Set(['resource.keyname', 'resource.version'])

/**
 * Lists what differs between two reads of a server, apart from keynames, marks and versions of the resources that were
 * marked.
 */
export function listDifferences(
  before: ActualTree['byId'],
  after: ActualTree['byId'],
  marked: ReadonlySet<number>,
): Difference[] {
  const found: Difference[] = []
  for (const [id, old] of before) {
    const now = after.get(id)
    if (now === undefined) found.push({ key: labelOf(old), part: '', kind: 'disappeared' })
    else found.push(...compareResource(old, now, marked.has(id)))
  }
  for (const [id, now] of after)
    if (!before.has(id)) found.push({ key: labelOf(now), part: '', kind: 'appeared' })
  return found
}

function compareResource(old: ActualResource, now: ActualResource, isMarked: boolean): Difference[] {
  const [from, to] = [flatten(old), flatten(now)]
  const parts = new Set([...from.keys(), ...to.keys()])
  return [...parts].flatMap((part): Difference[] => {
    if (isMarked && (written.has(part) || isMarkerPart(part))) return []
    if (isDeepStrictEqual(from.get(part), to.get(part))) return []
    return [{ key: labelOf(now), part, kind: 'changed' }]
  })
}

const itemsPart = 'resmeta.items.'

const isMarkerPart = (part: string) => part.startsWith(itemsPart) && isMarkerKey(part.slice(itemsPart.length))

/** The parts of a resource as the server sends it: members, their fields, and the items of the metadata. */
function flatten({ members }: ActualResource): Map<string, unknown> {
  const parts = new Map<string, unknown>()
  for (const [member, fields] of Object.entries(members)) {
    if (!isObject(fields)) parts.set(member, fields)
    else for (const [field, value] of Object.entries(fields)) setParts(parts, `${member}.${field}`, value)
  }
  return parts
}

function setParts(parts: Map<string, unknown>, part: string, value: unknown): void {
  if (`${part}.` !== itemsPart || !isObject(value)) parts.set(part, value)
  else for (const [name, item] of Object.entries(value)) parts.set(`${itemsPart}${name}`, item)
}
