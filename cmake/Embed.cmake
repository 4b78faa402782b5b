# tcfix_embed(TARGET HEADER NAMESPACE FILE...): embeds files in the program as strings. The generated header
# has an `inline constexpr char DIRECTORY_NAME[]` for each file, with _ for characters that identifiers cannot have.
function(tcfix_embed target header namespace)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  string(REPLACE ";" "|" files "${ARGN}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -DNAMESPACE=${namespace}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
  if(NOT TARGET embedded)
    add_custom_target(embedded) # for tools that read sources without a build
  endif()
  add_custom_target(embedded_${header} DEPENDS ${output})
  add_dependencies(embedded embedded_${header})
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
