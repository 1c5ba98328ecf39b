import type { Credentials } from '../../http/authorize.ts'

/** A request whose answer is quoted. */
export interface QuotedRequest {
  readonly url: URL
  readonly credentials: Credentials | undefined
}

/** Parameters of WMS requests that are no secrets. All others are those of the address or the vendor, such as keys. */
const openNames = new Set(
  'service,version,request,layers,query_layers,layer,styles,style,format,info_format,feature_count,crs,srs,bbox,width,height,i,j,x,y,exceptions,transparent,time,elevation,scale,rule,sld_version'.split(
    ',',
  ),
)

/** Minimum length of values and of parts of paths that are replaced: shorter ones are found in words by chance. */
const minLength = { value: 4, path: 16 }

/**
 * Replaces what the text of another service quotes of the request: addresses, parameters such as keys, and the password. Users
 * of the map read the text, who may not read the connection.
 */
export function redactAnswer(text: string, { url, credentials }: QuotedRequest): string {
  const addresses = text.replaceAll(/(https?:\/\/)(?:[^\s/"'<>?#]*@)?([^\s/"'<>?#]+)[^\s"'<>]*/gi, '$1$2/…')
  const parts = url.pathname.split('/').filter((part) => part.length >= minLength.path)
  const values = [...url.searchParams]
    .filter(([name, value]) => !openNames.has(name.toLowerCase()) && value.length >= minLength.value)
    .map(([, value]) => value)
  const password = credentials?.password ?? ''
  const secrets = [...parts, ...values, ...(password.length >= minLength.value ? [password] : [])]
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)])
  // A longer one may contain a shorter one.
  return forms
    .toSorted((one, other) => other.length - one.length)
    .reduce((quoted, secret) => quoted.replaceAll(secret, '…'), addresses)
}
