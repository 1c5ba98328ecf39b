import type { OpenApi } from '../../contract/openapi/openapi.ts'
import { escapeHtml } from './html.ts'
import { documentHtml } from './html_document.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Operation {
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-permission'?: string
  readonly 'x-statement-seconds': { readonly pglite: number; readonly postgres: number }
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content; readonly 'x-max-bytes'?: number }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly default?: unknown
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly items?: Schema
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly maxLength?: number
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/** Writes an OpenAPI document as a page without scripts: operations by tag, then the schemas of bodies. */
export function docsPage({ info, paths, tags, components }: OpenApi): string {
  const { title, version, summary } = info as { title: string; version: string; summary: string }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as Operation,
    })),
  )
  const areas = tags.map(({ name }) => {
    const tagged = operations.filter(({ operation }) => operation.tags.includes(name))
    return `<section id="${name}"><h2>${escapeHtml(name)}</h2>${tagged.map(operationHtml).join('')}</section>`
  })
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary><code>${name}</code></summary>${schemaHtml(schema)}</details>`,
  )
  const links = [...tags.map(({ name }) => name), 'bodies'].map((name) => `<a href="#${name}">${name}</a>`)
  const body = `<header><h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(summary)} For programs: <a href="/openapi.json">openapi.json</a>.</p></header>
<nav class="areas" aria-label="Areas">${links.join(' ')}</nav>
<main class="operations">${areas.join('\n')}<section id="bodies"><h2>bodies</h2>${schemas.join('\n')}</section></main>`
  return documentHtml(`${title} ${version}: HTTP interface`, body)
}

interface Entry {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function operationHtml({ path, method, operation }: Entry): string {
  const { summary, parameters, requestBody, responses } = operation
  const permission = operation['x-permission']
  const requirement = permission === undefined ? '' : `Requires <code>${permission}</code>. `
  const { pglite, postgres } = operation['x-statement-seconds']
  const time = `Statement timeout: ${postgres} s; ${pglite} s with the embedded database.`
  const body = requestBody === undefined ? '' : bodyHtml(requestBody)
  const answers = Object.entries(responses).map(
    ([status, { description, content = {} }]) =>
      `<h4>${status} <small>${escapeHtml(description)}</small></h4>${contentHtml(content)}`,
  )
  return `<details><summary><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
<p>${requirement}${time}</p>${parametersHtml(parameters)}${body}${answers.join('')}</details>`
}

function bodyHtml({ content, 'x-max-bytes': maxBytes }: NonNullable<Operation['requestBody']>): string {
  const limit = maxBytes === undefined ? '' : ` <small>up to ${maxBytes.toLocaleString('en')} bytes</small>`
  return `<h4>Body${limit}</h4>${contentHtml(content)}`
}

function parametersHtml(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: place, schema, description = '' }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}</td><td>${typeHtml(schema)}</td><td>${escapeHtml(description)}</td></tr>`,
  )
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`
}

function contentHtml(content: Content): string {
  return Object.entries(content)
    .map(([mediaType, { schema }]) => `<p><code>${mediaType}</code></p>${schemaHtml(schema)}`)
    .join('')
}

/** Writes a schema: objects as tables of members, other schemas as their type. */
function schemaHtml(schema: Schema): string {
  if (schema.allOf !== undefined) return schema.allOf.map(schemaHtml).join('')
  if (schema.items !== undefined && schema.items.properties !== undefined)
    return `<p>List of:</p>${schemaHtml(schema.items)}`
  if (schema.properties === undefined) return `<p>${typeHtml(schema)}</p>`
  const rows = Object.entries(schema.properties).map(([name, member]) => {
    const notes = [
      member.description ?? '',
      member.default === undefined ? '' : `Default: ${JSON.stringify(member.default)}.`,
      member.readOnly ? 'Read only.' : '',
      member.writeOnly ? 'Write only.' : '',
    ].filter((note) => note !== '')
    const inner = member.properties ?? member.items?.properties
    const nested = inner === undefined ? '' : schemaHtml(member)
    const mark = schema.required?.includes(name) ? ' <small>required</small>' : ''
    return `<tr><td><code>${escapeHtml(name)}</code>${mark}</td><td>${typeHtml(member)}</td><td>${escapeHtml(notes.join(' '))}${nested}</td></tr>`
  })
  return `<table>${rows.join('')}</table>`
}

function typeHtml(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return `<a href="#schema-${name}"><code>${name}</code></a>`
  }
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeHtml).join(' or ')
  if (schema.items !== undefined) return `list of ${atMost(schema.maxItems)}${typeHtml(schema.items)}`
  const type = escapeHtml([schema.type ?? 'any'].flat().join(' or '))
  if (schema.maxProperties !== undefined) return `${type} of ${atMost(schema.maxProperties)}members`
  return schema.maxLength === undefined ? type : `${type} of ${atMost(schema.maxLength)}characters`
}

function atMost(limit: number | undefined): string {
  return limit === undefined ? '' : `up to ${limit.toLocaleString('en')} `
}
