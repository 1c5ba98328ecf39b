import { describeApi, type OpenApi } from '../../contract/openapi/openapi.ts'
import type { docsRoutes } from '../../contract/routes/docs.ts'
import type { RouteName } from '../../contract/routes.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { docsPage } from '../pages/docs_page.ts'
import { documentHeaders } from '../pages/html_document.ts'

/** Creates the operations that describe the API, as OpenAPI document and as page. */
export function createDocsHandlers(
  isOffered: (name: RouteName) => boolean,
): Handlers<keyof typeof docsRoutes> {
  // Created on first use, to keep it out of the start.
  const descriptions = new Map<string, OpenApi>()
  const describe = ({ context: { version } }: Pick<ApiRequest, 'context'>) => {
    const description = descriptions.get(version) ?? describeApi({ version, isOffered })
    descriptions.set(version, description)
    return description
  }
  return {
    'docs.openapi': async (request) => ({
      json: { ...describe(request) },
    }),
    'docs.page': async (request) => ({
      bytes: Buffer.from(docsPage(describe(request))),
      mediaType: 'text/html; charset=utf-8',
      headers: documentHeaders,
    }),
  }
}
