-- The table of a class has the name of the class, and a column for each field of the member with that name.
alter table desk_style rename to desk_vector_style;
alter table map_style rename to mapsrv_style;
alter table wms_layer rename to wmsclient_layer;
alter table wms_connection rename to wmsclient_connection;
alter table wmsclient_connection rename column capabilities to capcache;
alter table lookup_table rename column key_order to "order";

-- Lists and objects are json: it keeps the order of keys.
alter table wmsclient_connection alter column capcache type json;
alter table wmsclient_layer alter column vendor_params type json;
alter table geodb_connection alter column port type json;

-- Items become an object, as on the wire, instead of pairs of key and value.
update lookup_table set items = coalesce(
  (select json_object_agg(pair->>0, pair->>1 order by place)
     from json_array_elements(items) with ordinality as pairs (pair, place)), '{}');
