import { findNameFault } from '../../contract/formats/file_name.ts'
import type { Members } from '../../contract/registry.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import {
  listResourceFiles,
  type ResourceFile,
  replaceResourceFiles,
} from '../../store/classes/resource_file.ts'
import type { StoredUpload } from '../../store/upload/stored_upload.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { anyMediaType, isMediaType, mediaTypeOf } from '../http/media_type.ts'
import { lockUploadsOf, uploadNotFound } from '../upload/upload_text.ts'
import { isUnpacked, unpackFiles } from './archive_files.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'

type Change = MemberChange<'file_bucket'>
type Entry = NonNullable<NonNullable<Members<'file_bucket'>['file_bucket']>['files']>[number]

const pointer: Pointer = '/file_bucket/files'

/** Files to download. The list in a request replaces the files of the bucket. */
export const fileBucketBehaviour: Behaviour<'file_bucket'> = {
  async readMembers(tx, ids) {
    const files = await listResourceFiles(tx, ids)
    return new Map(ids.map((id) => [id, { file_bucket: { files: (files.get(id) ?? []).map(wireFile) } }]))
  },
  async prepare({ context, caller, members, signal }) {
    const archive = members.file_bucket?.archive
    if (archive === undefined) return undefined
    return unpackFiles({ context, caller, signal, id: archive.id, pointer: '/file_bucket/archive' })
  },
  create: (tx, changes) => write(tx, changes, new Map()),
  async update(tx, changes) {
    await write(tx, changes, await listResourceFiles(tx, changes.map(idOf)))
  },
}

const wireFile = ({ name, mimeType, sizeBytes, digest }: ResourceFile) => ({
  name,
  mime_type: mimeType,
  size: sizeBytes,
  digest,
})

async function write(
  tx: Queryable,
  changes: readonly Change[],
  current: ReadonlyMap<number, readonly ResourceFile[]>,
): Promise<void> {
  const written = changes.filter(({ members: { file_bucket: own } }) => own?.files ?? own?.archive)
  const ids = written.flatMap(({ members }) => entriesOf(members).flatMap(({ id }) => id ?? []))
  const uploads = await lockUploadsOf(tx, changes, ids)
  const sets = written.map((change): [number, ResourceFile[]] => [
    change.id,
    resultingSet(change, { uploads, current: current.get(change.id) ?? [] }),
  ])
  await replaceResourceFiles(tx, new Map(sets))
}

const entriesOf = ({ file_bucket: own }: Change['members']): readonly Entry[] => own?.files ?? []

interface AvailableFiles {
  readonly uploads: ReadonlyMap<string, StoredUpload>
  readonly current: readonly ResourceFile[]
}

/** Returns the files of a bucket after a request: the listed ones, kept by name or new, then those of the archive. */
function resultingSet({ members, prepared }: Change, available: AvailableFiles): ResourceFile[] {
  const current = new Map(available.current.map((file) => [file.name, file]))
  const names = new Set<string>()
  const listed = entriesOf(members).map((entry, at) => {
    const place = joinPointer(pointer, at)
    const file = entry.id === undefined ? keep(entry, current, place) : add(entry, available.uploads, place)
    checkName(file.name, names, joinPointer(place, 'name'))
    return file
  })
  const unpacked = isUnpacked(prepared) ? prepared.files : []
  for (const { name } of unpacked) checkName(name, names, '/file_bucket/archive')
  return [...listed, ...unpacked]
}

function keep(entry: Entry, current: ReadonlyMap<string, ResourceFile>, place: Pointer): ResourceFile {
  const { name, from = name } = entry
  if (name === undefined || from === undefined)
    throw invalidAt(place, 'expected the id of an upload, or the name of a file in the bucket')
  const file = current.get(from)
  if (file === undefined)
    throw invalidAt(
      joinPointer(place, entry.from === undefined ? 'name' : 'from'),
      `the bucket has no file ${JSON.stringify(from)}`,
      'Add the id of its upload for a new file.',
    )
  if (entry.mime_type !== undefined) checkMediaType(entry.mime_type, place)
  // A type that the server derived from the name follows it.
  const isDerived = file.mimeType === mediaTypeOf(from)
  const mimeType = entry.mime_type ?? (isDerived ? mediaTypeOf(name) : file.mimeType)
  return { ...file, name, mimeType }
}

function checkMediaType(type: string, place: Pointer): void {
  if (!isMediaType(type))
    throw invalidAt(joinPointer(place, 'mime_type'), `${JSON.stringify(type)} is not a media type`)
}

function add(entry: Entry, uploads: ReadonlyMap<string, StoredUpload>, place: Pointer): ResourceFile {
  const { id = '', mime_type: givenType } = entry
  const upload = uploads.get(id)
  if (upload === undefined) throw uploadNotFound({ id, pointer: place })
  const name = entry.name ?? upload.name
  if (name === null) throw invalidAt(place, 'the upload has no name', 'Add "name".')
  // Clients that know no type send the general one.
  const sentType = upload.mimeType === anyMediaType ? null : upload.mimeType
  const mimeType = givenType ?? sentType ?? mediaTypeOf(name)
  if (givenType !== undefined) checkMediaType(givenType, place)
  const { digest, sizeBytes } = upload
  return { name, mimeType: isMediaType(mimeType) ? mimeType : anyMediaType, digest, sizeBytes }
}

function checkName(name: string, names: Set<string>, place: Pointer): void {
  const fault = findNameFault(name)
  if (fault !== undefined) throw invalidAt(place, `the file name ${JSON.stringify(name)} ${fault}`)
  if (names.has(name)) throw invalidAt(place, `the file name ${JSON.stringify(name)} is listed twice`)
  names.add(name)
}
