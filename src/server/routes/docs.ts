import { describeApi, type OpenApi } from '../../contract/openapi/openapi.ts'
import type { docsRoutes } from '../../contract/routes/docs.ts'
import type { RouteName } from '../../contract/routes.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { docsPage } from '../pages/docs_page.ts'
import { documentHeaders } from '../pages/html_document.ts'

/** The description of the operations that this version offers, for programs and for people. */
export function createDocsHandlers(
  isOffered: (name: RouteName) => boolean,
): Handlers<keyof typeof docsRoutes> {
  // Made when first asked for: a start does not wait for it, and it never changes.
  const made = new Map<string, OpenApi>()
  const describe = ({ context: { version } }: Pick<ApiRequest, 'context'>) => {
    const description = made.get(version) ?? describeApi({ version, isOffered })
    made.set(version, description)
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
