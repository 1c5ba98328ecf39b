import { cumulativeStatuses, geoserviceTypes, iconSizes } from '../../contract/catalog/catalog.ts'

/**
 * Returns the URL templates of the catalog, by name.
 *
 * @param root URL of the root of the catalog, without a trailing slash
 */
export function urlTemplates(root: string): Record<string, string> {
  const services = `${root}/geoservices/`
  const statuses = `${root}/geoservice_status/`
  const icons = `${root}/icons/`
  const status = `?cumulative_status={${cumulativeStatuses.join('|')}}`
  const { minimum, maximum } = iconSizes
  const size = `?width={${minimum}<=x<=${maximum}}&height={${minimum}<=y<=${maximum}}`
  return {
    geoservices_url: services,
    geoservices_type_filter_url: `${services}?type={${geoserviceTypes.join('|')}}`,
    geoservices_epsg_filter_url: `${services}?epsg={any_epsg_code}`,
    geoservices_status_filter_url: `${services}${status}`,
    geoservices_search_url: `${services}?search={q}`,
    geoservices_intersects_extent_url: `${services}?intersects_extent={WKT|EWKT geometry}`,
    geoservices_intersects_boundary_url: `${services}?intersects_boundary={WKT|EWKT geometry}`,
    geoservices_ordering_url: `${services}?ordering={name|-name|id|-id|created_at|-created_at|updated_at|-updated_at}`,
    geoservices_pagination_url: `${services}?limit={int}&offset={int}`,
    geoservice_detail_url: `${services}{id}/`,
    geoservice_status_url: statuses,
    geoservice_status_detail_url: `${statuses}{id}/`,
    geoservice_status_service_filter_url: `${statuses}?geoservice={id}`,
    geoservice_status_cumulative_status_filter_url: `${statuses}${status}`,
    geoservice_status_check_at_ordering_url: `${statuses}?ordering={check_at|-check_at}`,
    icons_url: icons,
    icons_search_url: `${icons}?search={q}`,
    icons_pagination_url: `${icons}?limit={int}&offset={int}`,
    icon_detail_url: `${icons}{id}/`,
    icon_content_url: `${icons}{id}/content`,
    icon_resized_content_url: `${icons}{id}/content${size}`,
    default_icon_url: `${icons}default`,
  }
}
