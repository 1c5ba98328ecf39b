import type { AccessChange, AccessTarget } from '../model/access_change.ts'
import type { Change, Edit, Plan } from '../model/change.ts'

/** A resource or record of the catalog in a rule. */
export class ChangeFacts {
  declare action: string
  declare key: string
  declare cls: string
  declare display_name: string
  declare path: readonly string[]
  declare id: bigint | null
  declare is_record: boolean
  declare adopts: boolean
  declare edits: readonly EditFacts[]
  declare data: unknown
  declare takes: unknown
}

/** An edit in a rule. */
export class EditFacts {
  declare pointer: string
  declare from: unknown
  declare to: unknown
  declare loses: boolean
}

/** A change of access in a rule. */
export class AccessFacts {
  declare change: string
  declare principals: readonly string[]
  declare permissions: readonly string[]
  declare on: string
  declare resources: readonly TargetFacts[]
  declare implied: boolean
}

/** A resource of a change of access in a rule. */
export class TargetFacts {
  declare key: string
  declare cls: string
  declare display_name: string
}

/** The plan in a rule. */
export class PlanFacts {
  declare manifest: string
  declare server: string
  declare changes: readonly ChangeFacts[]
  declare access: readonly AccessFacts[]
  declare unchanged: bigint
  declare unknown: bigint
}

/** Converts a plan to the values of rules: integers are bigint, absent values are null. */
export function planFacts({ manifest, server, changes, access, unchanged, unknown }: Plan): PlanFacts {
  return make(PlanFacts, {
    manifest,
    server,
    changes: changes.map(changeFacts),
    access: (access?.changes ?? []).map(accessFacts),
    unchanged: BigInt(unchanged),
    unknown: BigInt(unknown.length),
  })
}

function changeFacts(change: Change): ChangeFacts {
  const { action, key, cls, displayName, path, id, record, adopts, edits, data, takes } = change
  const load = data && {
    source: data.source,
    size_bytes: data.sizeBytes,
    reason: data.reason,
    feature_count_before: data.before ?? null,
    feature_count_after: data.change?.after ?? null,
  }
  const taken = takes && {
    resources: takes.resources,
    features: takes.features ?? null,
    files: takes.files ?? 0,
    attachments: takes.attachments ?? 0,
    bytes: takes.bytes ?? null,
    unmanaged: takes.unmanaged,
    referrers: (takes.referrers ?? []).map((one) => one.key),
  }
  return make(ChangeFacts, {
    action,
    key,
    cls,
    display_name: displayName,
    path,
    id: id === undefined ? null : BigInt(id),
    is_record: record !== undefined,
    adopts: adopts === true,
    edits: edits.map(editFacts),
    data: exact(load),
    takes: exact(taken),
  })
}

function editFacts({ pointer, from, to, loses, secret }: Edit): EditFacts {
  const [old, next] = secret ? [null, null] : [exact(from), exact(to)]
  return make(EditFacts, { pointer, from: old, to: next, loses: loses !== undefined })
}

function accessFacts({ change, principals, permissions, on, resources, implied }: AccessChange): AccessFacts {
  return make(AccessFacts, {
    change,
    principals,
    permissions,
    on,
    resources: resources.map(targetFacts),
    implied,
  })
}

const targetFacts = ({ key, cls, displayName }: AccessTarget): TargetFacts =>
  make(TargetFacts, { key, cls, display_name: displayName })

function make<T extends object>(type: new () => T, fields: T): T {
  return Object.assign(new type(), fields)
}

/** Copies JSON with bigint for integers, and null for undefined. */
function exact(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(exact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, exact(one)]))
}
