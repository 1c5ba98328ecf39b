import { problem } from '../../contract/problems.ts'
import type { fileRoutes } from '../../contract/routes/file.ts'
import { findResourceFile } from '../../store/classes/resource_file.ts'
import { formFileName } from '../classes/formbuilder_form.ts'
import { answerFile } from '../http/file_answer.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'

/** Operations on files of resources. */
export const fileHandlers: Handlers<keyof typeof fileRoutes> = {
  'file.download': (request) => download(request, { name: request.params.name }),
  'form.ngfp': (request) => download(request, { name: formFileName, as: `${request.params.id}.ngfp` }),
}

async function download(
  request: ApiRequest<keyof typeof fileRoutes>,
  { name, as = name }: { readonly name: string; readonly as?: string },
): Promise<Answer> {
  const { context, params } = request
  const { id } = params
  const file = await findResourceFile(context.database, { id, name })
  if (file === undefined)
    throw problem('bucket/not-found', `Resource id = ${id} has no file ${JSON.stringify(name)}.`, {
      resource: id,
      data: { resource_id: id, name },
    })
  return answerFile(request, { ...file, name: as, mediaType: file.mimeType })
}
