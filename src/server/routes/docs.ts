import { describeApi } from '../../contract/openapi/openapi.ts'
import type { docsRoutes } from '../../contract/routes/docs.ts'
import type { RouteName } from '../../contract/routes.ts'
import { answerDocument, createDocuments } from '../http/constant_document.ts'
import type { Handlers } from '../http/handler.ts'
import { docsPage } from '../pages/docs_page.ts'
import { documentHeaders } from '../pages/html_document.ts'

/** Creates the operations that describe the API, as OpenAPI document and as page. */
export function createDocsHandlers(
  isOffered: (name: RouteName) => boolean,
): Handlers<keyof typeof docsRoutes> {
  // Created on first use, to keep it out of the start.
  const describe = (version: string) => describeApi({ version, isOffered })
  const openapi = createDocuments('application/json', (version: string) => JSON.stringify(describe(version)))
  const page = createDocuments('text/html; charset=utf-8', (version: string) => docsPage(describe(version)))
  return {
    'docs.openapi': async ({ context: { version }, headers }) => answerDocument(openapi(version), headers),
    'docs.page': async ({ context: { version }, headers }) =>
      answerDocument(page(version), headers, documentHeaders),
  }
}
