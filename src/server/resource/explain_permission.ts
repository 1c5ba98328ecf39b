import type { Explanation, Reason } from '../../access/explain_access.ts'
import { hasPermission } from '../../access/permission_mask.ts'
import { type Dialect, dialectName } from '../../contract/dialect.ts'
import { type PermissionName, permissionsOf } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { explainPermissions } from '../../store/access/effective_permission.ts'
import { findPrincipals, type PrincipalKind } from '../../store/auth/principal.ts'
import type { ApiRequest } from '../http/handler.ts'
import { findAsked } from './permission_mask.ts'
import { notFound } from './require_permission.ts'

type Request = ApiRequest<'resource.permission_explain'>
type WireExplanation = { result: boolean; explain: WireReason[] }
type WireReason = Record<string, unknown>

/**
 * Tells which rules and requirements decide the permissions that a request asks about.
 *
 * @throws {Problem} resource/not-found, access/denied, request/invalid
 */
export async function readExplanations(
  request: Request,
): Promise<Record<string, Record<string, WireExplanation>>> {
  const { context, params, query } = request
  const { id } = params
  const { asker, cls } = await findAsked(request)
  const permissions = chosen(cls, query)
  const found = await explainPermissions(context.database, asker, { id, permissions })
  if (found === undefined) throw notFound(id)
  const known = await readKnown(request, [...found.values()])
  const answer: Record<string, Record<string, WireExplanation>> = {}
  for (const [name, { result, reasons }] of found) {
    const [scope = '', permission = ''] = name.split('.')
    answer[scope] ??= {}
    answer[scope][permission] = { result, explain: reasons.map((reason) => wireReason(reason, known)) }
  }
  return answer
}

function chosen(cls: Cls, { scope, permission }: Request['query']): PermissionName[] {
  const { scopes } = descriptorOf(cls)
  const wanted = scope === undefined ? scopes : scopes.filter((one) => one === scope)
  const names = permissionsOf(wanted).filter(
    (name) => permission === undefined || name.endsWith(`.${permission}`),
  )
  if (names.length > 0) return names
  const what = [scope, permission].filter((word) => word !== undefined).join('.')
  throw problem('request/invalid', `Resources of class ${cls} have no permission "${what}".`, {
    data: { location: ['query', scope === undefined ? 'permission' : 'scope'] },
  })
}

/** What reasons speak of, as far as the caller may see it. */
interface Known {
  readonly dialect: Dialect
  readonly principals: ReadonlyMap<number, PrincipalKind>
  readonly readable: ReadonlySet<number>
}

async function readKnown(
  { context, caller, dialect }: Request,
  explanations: readonly Pick<Explanation, 'reasons'>[],
): Promise<Known> {
  const principals = await findPrincipals(context.database, listPrincipals(explanations))
  const masks = await context.permissions.findMasks(caller, listResources(explanations))
  const readable = [...masks].filter(([, mask]) => hasPermission(mask, 'resource.read')).map(([id]) => id)
  return { dialect, principals, readable: new Set(readable) }
}

function listResources(explanations: readonly Pick<Explanation, 'reasons'>[]): number[] {
  const ids = explanations.flatMap(({ reasons }) =>
    reasons.flatMap((reason) =>
      reason.type === 'requirement' ? [Number(reason.resource ?? -1), ...listResources([reason])] : [],
    ),
  )
  return [...new Set(ids)]
}

function listPrincipals(explanations: readonly Pick<Explanation, 'reasons'>[]): number[] {
  const ids = explanations.flatMap(({ reasons }) =>
    reasons.flatMap((reason) => {
      if (reason.type === 'acl_rule') return [Number(reason.rule.principal)]
      return reason.type === 'requirement' ? listPrincipals([reason]) : []
    }),
  )
  return [...new Set(ids)]
}

function wireReason(reason: Reason, known: Known): WireReason {
  if (reason.type === 'default') return { type: 'default', result: reason.result, resource: null }
  if (reason.type === 'acl_rule') {
    const { principal: key, identity, ...rule } = reason.rule
    const id = Number(key)
    const principal = { id, cls: known.principals.get(id)?.kind, keyname: known.principals.get(id)?.keyname }
    return {
      type: 'acl_rule',
      result: reason.result,
      resource: { id: reason.resource },
      acl_rule: { ...rule, identity: dialectName(identity, known.dialect), principal },
    }
  }
  const [scope = '', permission = ''] = reason.permission.split('.')
  const isHidden = reason.resource !== undefined && !known.readable.has(Number(reason.resource))
  const attr = reason.of === 'self' ? null : reason.of
  return {
    type: 'requirement',
    result: reason.satisfied ? null : false,
    resource: reason.resource === undefined || isHidden ? null : { id: reason.resource },
    requirement: { scope, permission, attr, attr_empty: reason.resource === undefined },
    satisfied: reason.satisfied,
    explain: isHidden ? [] : reason.reasons.map((inner) => wireReason(inner, known)),
  }
}
