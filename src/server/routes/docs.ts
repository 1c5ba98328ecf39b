import { describeApi } from '../../contract/openapi/openapi.ts'
import type { docsRoutes } from '../../contract/routes/docs.ts'
import type { RouteName } from '../../contract/routes.ts'
import { docsPage } from '../docs_page.ts'
import type { Handlers } from '../handler.ts'

/** The description of the operations that this version offers, for programs and for people. */
export function createDocsHandlers(
  isOffered: (name: RouteName) => boolean,
): Handlers<keyof typeof docsRoutes> {
  return {
    'docs.openapi': async ({ context: { version } }) => ({
      json: { ...describeApi({ version, isOffered }) },
    }),
    'docs.page': async ({ context: { version } }) => ({
      bytes: Buffer.from(docsPage(describeApi({ version, isOffered }))),
      mediaType: 'text/html; charset=utf-8',
    }),
  }
}
