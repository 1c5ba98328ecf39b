-- Statistics of each band of a raster, instead of those of the only one.
update raster_layer set statistics = json_build_array(statistics) where json_typeof(statistics) = 'object';
update prepared_raster
   set facts = (facts::jsonb || jsonb_build_object('statistics', jsonb_build_array(facts->'statistics')))::json
 where json_typeof(facts->'statistics') = 'object';
