import type { Queryable } from '../../database/database.ts'
import { listArchive } from '../../files/archive.ts'
import {
  listResourceFiles,
  type ResourceFile,
  replaceResourceFiles,
} from '../../store/classes/resource_file.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { anyMediaType } from '../http/media_type.ts'
import { getUpload, lockUploadsOf, uploadNotFound } from '../upload/upload_text.ts'
import type { Behaviour, MemberChange } from './behaviour.ts'

/** File name of a form. */
export const formFileName = 'form.ngfp'

const pointer = '/formbuilder_form/file_upload'

/** Forms for field data collection: an archive that mobile apps read, stored unchanged. */
export const formbuilderFormBehaviour: Behaviour<'formbuilder_form'> = {
  async readMembers(tx, ids) {
    const files = await listResourceFiles(tx, ids)
    return new Map(ids.map((id) => [id, { formbuilder_form: factsOf(files.get(id)?.[0]) }]))
  },
  async prepare({ context, caller, members }) {
    const upload = members.formbuilder_form?.file_upload
    if (upload === undefined) return undefined
    const { digest } = await getUpload(context.database, {
      id: upload.id,
      pointer,
      userId: caller.id,
    })
    const names = await listArchive(await context.blobs.localPath(digest), context.uploadLimitBytes)
    if (!names.includes('form.json')) throw invalidAt(pointer, 'the archive has no form.json')
    return undefined
  },
  create: write,
  update: write,
}

const factsOf = (file: ResourceFile | undefined) => ({
  size: file?.sizeBytes ?? null,
  digest: file?.digest ?? null,
})

async function write(tx: Queryable, changes: readonly MemberChange<'formbuilder_form'>[]): Promise<void> {
  const named = changes.flatMap(({ id, members }) => {
    const upload = members.formbuilder_form?.file_upload
    return upload === undefined ? [] : [{ id, uploadId: upload.id }]
  })
  const ids = named.map(({ uploadId }) => uploadId)
  const uploads = await lockUploadsOf(tx, changes, ids)
  const files = named.map(({ id, uploadId }): [number, ResourceFile[]] => {
    const upload = uploads.get(uploadId)
    if (upload === undefined) throw uploadNotFound({ id: uploadId, pointer })
    const { digest, sizeBytes } = upload
    return [id, [{ name: formFileName, mimeType: anyMediaType, digest, sizeBytes }]]
  })
  await replaceResourceFiles(tx, new Map(files))
}
