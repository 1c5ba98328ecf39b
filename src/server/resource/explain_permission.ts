import type { Explanation, Reason } from '../../access/explain_access.ts'
import { hasPermission } from '../../access/permission_mask.ts'
import { type Dialect, dialectName } from '../../contract/dialect/dialect.ts'
import { type PermissionName, permissionsOf } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { explainPermissions } from '../../store/access/effective_permission.ts'
import { findPrincipals, type PrincipalKind } from '../../store/auth/principal.ts'
import type { ApiRequest } from '../http/handler.ts'
import { findPermissionTarget } from './permission_mask.ts'
import { notFound } from './require_permission.ts'

type Request = ApiRequest<'resource.permission_explain'>
type WireExplanation = { result: boolean; explain: WireReason[] }
type WireReason = Record<string, unknown>

/**
 * Explains permissions: returns the rules and requirements that decide each of them.
 *
 * @throws {Problem} resource/not-found, access/denied, request/invalid
 */
export async function readExplanations(
  request: Request,
): Promise<Record<string, Record<string, WireExplanation>>> {
  const { context, params, query } = request
  const { id } = params
  const { subject, cls } = await findPermissionTarget(request)
  const permissions = selectPermissions(cls, query)
  const found = await explainPermissions(context.database, subject, { id, permissions })
  if (found === undefined) throw notFound(id)
  const reasonContext = await readReasonContext(request, [...found.values()])
  const answer: Record<string, Record<string, WireExplanation>> = {}
  for (const [name, { result, reasons }] of found) {
    const [scope = '', permission = ''] = name.split('.')
    answer[scope] ??= {}
    answer[scope][permission] = {
      result,
      explain: reasons.map((reason) => wireReason(reason, reasonContext)),
    }
  }
  return answer
}

function selectPermissions(cls: Cls, { scope, permission }: Request['query']): PermissionName[] {
  const { scopes } = descriptorOf(cls)
  const selected = scope === undefined ? scopes : scopes.filter((one) => one === scope)
  const names = permissionsOf(selected).filter(
    (name) => permission === undefined || name.endsWith(`.${permission}`),
  )
  if (names.length > 0) return names
  const what = [scope, permission].filter((word) => word !== undefined).join('.')
  throw problem('request/invalid', `Resources of class ${cls} have no permission "${what}".`, {
    data: { location: ['query', scope === undefined ? 'permission' : 'scope'] },
  })
}

/** What encoding reasons needs: principals by id, and the resources that the caller can read. */
interface ReasonContext {
  readonly dialect: Dialect
  readonly principals: ReadonlyMap<number, PrincipalKind>
  readonly readable: ReadonlySet<number>
}

async function readReasonContext(
  { context, caller, dialect }: Request,
  explanations: readonly Pick<Explanation, 'reasons'>[],
): Promise<ReasonContext> {
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

function wireReason(reason: Reason, reasonContext: ReasonContext): WireReason {
  if (reason.type === 'default') return { type: 'default', result: reason.result, resource: null }
  if (reason.type === 'acl_rule') {
    const { principal: key, identity, ...rule } = reason.rule
    const id = Number(key)
    const principal = {
      id,
      cls: reasonContext.principals.get(id)?.kind,
      keyname: reasonContext.principals.get(id)?.keyname,
    }
    return {
      type: 'acl_rule',
      result: reason.result,
      resource: { id: reason.resource },
      acl_rule: { ...rule, identity: dialectName(identity, reasonContext.dialect), principal },
    }
  }
  const [scope = '', permission = ''] = reason.permission.split('.')
  const isHidden = reason.resource !== undefined && !reasonContext.readable.has(Number(reason.resource))
  const attr = reason.of === 'self' ? null : reason.of
  return {
    type: 'requirement',
    result: reason.satisfied ? null : false,
    resource: reason.resource === undefined || isHidden ? null : { id: reason.resource },
    requirement: { scope, permission, attr, attr_empty: reason.resource === undefined },
    satisfied: reason.satisfied,
    explain: isHidden ? [] : reason.reasons.map((inner) => wireReason(inner, reasonContext)),
  }
}
