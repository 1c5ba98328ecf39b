import { joinPointer } from '../../core/pointer.ts'
import type { WantedRecord } from '../../manifest/manifest.ts'
import type { Edit } from '../model/change.ts'
import { isCompared, type Names } from '../model/value_equality.ts'
import { compareField } from '../plan/value_edits.ts'
import type { ActualRecord } from './actual_catalog.ts'
import { memberSchemas } from './record_schema.ts'

/** Context of a comparison of records. */
export interface RecordContext {
  /** Id of the manifest that manages the records; an import may have none. */
  readonly manifestId: string | undefined
  /** Whether keys are keynames, and omitted members have their defaults. Otherwise both stay as they are. */
  readonly owns: boolean
  /** Keys by id of the icons of the manifest that keep their id. */
  readonly names: Names
  /** Digests of images by key of the icon: SHA-256 in hexadecimal. */
  readonly digests: ReadonlyMap<string, string>
}

/** Difference between the desired and the actual state of a record. */
export interface RecordDiff {
  readonly edits: readonly Edit[]
  /** Changed members, in manifest form. */
  readonly body: Readonly<Record<string, unknown>>
  /** Whether the record gets the marker of this manifest. */
  readonly adopts: boolean
  /** Whether the image is stored again. */
  readonly loadsImage: boolean
}

/** Compares a record of a manifest or an import with its match on the server. Pure. */
export function diffRecord(wanted: WantedRecord, actual: ActualRecord, context: RecordContext): RecordDiff {
  const edits: Edit[] = []
  const body: Record<string, unknown> = {}
  if (context.owns && actual.keyname !== wanted.key) {
    edits.push({ pointer: '/keyname', from: actual.keyname, to: wanted.key })
    body.keyname = wanted.key
  }
  for (const [name, schema] of Object.entries(memberSchemas(wanted.kind, wanted.members))) {
    const written = wanted.members[name]
    const to = written ?? (context.owns || written === null ? schema.default : undefined)
    if (to === undefined || !isCompared(schema)) continue
    const wire = actual.members[name] ?? schema.default
    const values = { pointer: joinPointer('', name), wire, wanted: to }
    const found = compareField(schema, values, context.names)
    if (found.length > 0) body[name] = to
    edits.push(...found)
  }
  const image = diffImage(wanted, actual, context)
  const adopts = context.manifestId !== undefined && actual.manifest !== context.manifestId
  if (adopts) body.manifest = context.manifestId
  return { edits: [...edits, ...image], body, adopts, loadsImage: image.length > 0 }
}

function diffImage(
  { key, image }: WantedRecord,
  { members }: ActualRecord,
  { digests }: RecordContext,
): Edit[] {
  const digest = digests.get(key)
  if (image === undefined || digest === undefined || digest === members.digest) return []
  return [
    { pointer: '/image', from: showDigest(members.digest), to: `${image.source} ${showDigest(digest)}` },
  ]
}

/** Shows the start of a digest: enough to tell images apart. */
const showDigest = (digest: unknown) => `(sha256 ${String(digest).slice(0, 12)})`
