# tcfix_embed(TARGET HEADER NAMESPACE FILE...): the files as texts inside the program.
# Each becomes `inline constexpr char NAME[]` in the header, its name with _ for other characters.
function(tcfix_embed target header namespace)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  string(REPLACE ";" "|" files "${ARGN}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -DNAMESPACE=${namespace}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
