import { runCheck } from '../../catalog/run_check.ts'
import type { ApiRequest } from '../http/handler.ts'
import { streamSpooled } from '../stream/spool.ts'
import { checkSettingsOf } from './check_settings.ts'
import { requireEditor } from './editor.ts'

/** Checks geoservices, and streams the results as JSON lines. A client that disconnects ends the checks. */
export async function checkNow(
  request: Pick<ApiRequest<'catalog.check'>, 'context' | 'caller' | 'body' | 'signal'>,
): Promise<AsyncIterable<Uint8Array>> {
  await requireEditor(request)
  const { context, body, signal: left } = request
  const scope = body?.geoservices === undefined ? 'all' : { ids: body.geoservices }
  return streamSpooled({ folder: context.temporaryFolder, signal: left }, async (spool, signal) => {
    await runCheck(context.database, scope, {
      ...checkSettingsOf(context, signal),
      onResults: (results) => spool.write(Buffer.from(results.map(lineOf).join(''))),
    })
  })
}

const lineOf = ({ checkedAt: _, ...result }: object & { readonly checkedAt: Date }) =>
  `${JSON.stringify(result)}\n`
