# The libraries, and the packages. samples/ci/package.sh makes the .deb, samples/ci/static.sh a tarball for every Linux;
# `cpack` in the build folder makes a .deb with times of today, and `--target package_source` an archive of the sources.
find_program(GZIP gzip)
find_program(DPKG_QUERY dpkg-query)
if(CREDHOOK_STATIC)
  set(PKG_CONFIG_ARGN --static) # with the libraries that they need in turn
endif()

# credhook_needs(PREFIX MODULE [VERSION]): a library by its pkg-config name. The .deb depends on VERSION too: dpkg-shlibdeps,
# which finds the rest, looks at the functions that are called, and not at the options they are given. A package that is
# named twice has to fit both times.
function(credhook_needs prefix module)
  if(NOT ARGC GREATER 2)
    pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET ${module})
    return()
  endif()
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET ${module}>=${ARGV2})
  list(GET ${prefix}_LINK_LIBRARIES 0 file)
  get_filename_component(file ${file} REALPATH)
  get_filename_component(file ${file} NAME)
  if(DPKG_QUERY)
    execute_process(COMMAND ${DPKG_QUERY} -S "*/${file}" OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:, ]+)")
      list(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1} (>= ${ARGV2})")
      set(CPACK_DEBIAN_PACKAGE_DEPENDS ${CPACK_DEBIAN_PACKAGE_DEPENDS} PARENT_SCOPE)
    endif()
  endif()
endfunction()

credhook_needs(CURL libcurl 7.85)
credhook_needs(OPENSSL openssl 3.0)
credhook_needs(JSONC json-c 0.15)
credhook_needs(EDIT libedit)
credhook_needs(ZLIB zlib)
string(REPLACE ";" ", " CPACK_DEBIAN_PACKAGE_DEPENDS "${CPACK_DEBIAN_PACKAGE_DEPENDS}")

# The manual as Debian keeps it: compressed, without a time stamp, so that the same source gives the same bytes.
foreach(section 1 5 7)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.${section})
  foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME)
    if(GZIP)
      set(compressed ${PROJECT_BINARY_DIR}/man/${name}.gz)
      add_custom_command(OUTPUT ${compressed} DEPENDS ${page} VERBATIM
                         COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
                         COMMAND sh -c "exec \"$1\" -9nc \"$2\" >\"$3\"" - ${GZIP} ${page} ${compressed})
      list(APPEND compressed_pages ${compressed})
      set(page ${compressed})
    endif()
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
endforeach()
add_custom_target(manual ALL DEPENDS ${compressed_pages})

# What --json prints, as JSON Schema: credhook-json(5) names them.
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/schema/*.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/credhook/schema)

# Completions where the shells look for them. Debian's zsh has a folder of its own for what packages bring; the prefix may
# be given as late as when something is installed.
install(FILES completions/credhook.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME credhook)
install(FILES completions/credhook.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\" AND EXISTS /etc/debian_version)
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${PROJECT_SOURCE_DIR}/completions/_credhook\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")")

# Copyright and changelog in Debian's forms.
# Whom the packages name: who makes them, by the variables that Debian's tools read. A release sets them in one place,
# .github/workflows/release.yml.
set(maintainer "a local build <root@localhost>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CREDHOOK_PACKAGE_RELEASE 1 CACHE STRING "The part of the .deb's version that tells distributions apart: 1+deb12")
file(STRINGS LICENSE holder REGEX "^Copyright" LIMIT_COUNT 1)
string(REGEX REPLACE "^Copyright *(\\([cC]\\))? *" "" holder "${holder}")
file(READ LICENSE license)
string(REGEX REPLACE "^.*\nCopyright[^\n]*\n+" "" license "${license}")
string(REGEX REPLACE "\n+$" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n" "\n " license "${license}")
file(WRITE ${PROJECT_BINARY_DIR}/package/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: credhook

Files: *
Copyright: ${holder}
License: Expat
 ${license}
")
file(WRITE ${PROJECT_BINARY_DIR}/package/changelog.Debian
"credhook (${PROJECT_VERSION}-${CREDHOOK_PACKAGE_RELEASE}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}.

 -- ${maintainer}  Fri, 20 Nov 2026 12:00:00 +0000
")
if(GZIP)
  execute_process(COMMAND ${GZIP} -9nf ${PROJECT_BINARY_DIR}/package/changelog.Debian)
  install(FILES ${PROJECT_BINARY_DIR}/package/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES ${PROJECT_BINARY_DIR}/package/copyright README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES samples/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/samples)

set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sends, checks, receives and replays credit-data webhooks")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${CREDHOOK_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"credhook sends the event notifications of a credit-data service, checks
payloads and fixtures against its specification, receives and captures
notifications, and sends what was captured again, byte for byte. It works
offline.")

# The sources are what is committed: other files of a checkout may be captures.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_INSTALLED_DIRECTORIES "")
set(CPACK_CREDHOOK_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
file(APPEND ${PROJECT_BINARY_DIR}/CPackSourceConfig.cmake [=[
set(CPACK_INSTALL_COMMANDS
    "sh -c 'git -C \"${CPACK_CREDHOOK_SOURCE}\" archive -o \"$PWD/source.tar\" HEAD'"
    "sh -c 'tar -xf source.tar -C \"$CMAKE_INSTALL_PREFIX\"'")
]=])
