! Weights from one half of the processes to the other, in Fortran: real32 in
! the first half becomes real64 in the second.
!
!     mpirun -n 2 weights_f
module dtx
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: dtx_memory = 2, dtx_source = 0, dtx_target = 1
  integer(c_int), parameter :: dtx_float64 = 1, dtx_float32 = 2

  type, bind(c) :: dtx_error
    integer(c_int) :: status, process
    character(kind=c_char) :: message(1024), tensor(512), where(256), hint(512)
  end type
  type, bind(c) :: dtx_tensor_spec
    type(c_ptr) :: name
    integer(c_int) :: dtype, ndim
    type(c_ptr) :: shape
  end type
  type, bind(c) :: dtx_offer
    type(c_ptr) :: source = c_null_ptr, catalog = c_null_ptr
    type(c_ptr) :: source_map = c_null_ptr, target = c_null_ptr
    type(c_ptr) :: target_map = c_null_ptr, expected = c_null_ptr
  end type
  type, bind(c) :: dtx_array
    type(c_ptr) :: tensor
    integer(c_int64_t) :: rank
    integer(c_int) :: dtype, ndim
    type(c_ptr) :: shape, strides = c_null_ptr
    integer(c_int) :: place = 0
    type(c_ptr) :: data
  end type

  interface
    function dtx_diagnostics_create() bind(c)
      import
      type(c_ptr) :: dtx_diagnostics_create
    end function
    subroutine dtx_diagnostics_destroy(list) bind(c)
      import
      type(c_ptr), value :: list
    end subroutine
    integer(c_int) function dtx_transport_create_fint(comm, transport, err) &
        bind(c)
      import
      integer(c_int), value :: comm
      type(c_ptr) :: transport
      type(dtx_error) :: err
    end function
    subroutine dtx_transport_destroy(transport) bind(c)
      import
      type(c_ptr), value :: transport
    end subroutine
    integer(c_int) function dtx_layout_parse(text, file, folder, role, list, &
        layout, err) bind(c)
      import
      character(kind=c_char) :: text(*), file(*), folder(*)
      integer(c_int), value :: role
      type(c_ptr), value :: list
      type(c_ptr) :: layout
      type(dtx_error) :: err
    end function
    subroutine dtx_layout_destroy(layout) bind(c)
      import
      type(c_ptr), value :: layout
    end subroutine
    integer(c_int) function dtx_catalog_create(specs, count, catalog, err) &
        bind(c)
      import
      type(dtx_tensor_spec) :: specs(*)
      integer(c_int), value :: count
      type(c_ptr) :: catalog
      type(dtx_error) :: err
    end function
    subroutine dtx_catalog_destroy(catalog) bind(c)
      import
      type(c_ptr), value :: catalog
    end subroutine
    integer(c_int) function dtx_channel_meet(offer, transport, options, list, &
        channel, err) bind(c)
      import
      type(dtx_offer) :: offer
      type(c_ptr), value :: transport, options, list
      type(c_ptr) :: channel
      type(dtx_error) :: err
    end function
    integer(c_int) function dtx_channel_bind(channel, role, array, err) bind(c)
      import
      type(c_ptr), value :: channel
      integer(c_int), value :: role
      type(dtx_array) :: array
      type(dtx_error) :: err
    end function
    integer(c_int) function dtx_channel_run(channel, err) bind(c)
      import
      type(c_ptr), value :: channel
      type(dtx_error) :: err
    end function
    subroutine dtx_channel_close(channel) bind(c)
      import
      type(c_ptr), value :: channel
    end subroutine
  end interface
end module

program weights
  use dtx
  implicit none
  include 'mpif.h'
  integer(c_int64_t), parameter :: extent = 8
  integer(c_int64_t), target :: shape(1) = [extent]
  character(kind=c_char, len=2), target :: name = 'w' // c_null_char
  character(kind=c_char, len=*), parameter :: source_text = &
    'tensors: [{name: w}]' // c_null_char
  character(kind=c_char, len=*), parameter :: target_text = &
    'tensors: [{name: w, dtype: float64}]' // c_null_char
  real(c_float), target :: sent(extent)
  real(c_double), target :: received(extent)
  type(c_ptr) :: list, transport, layout, catalog, channel
  type(dtx_error) :: err
  type(dtx_offer) :: offer
  type(dtx_array) :: array
  type(dtx_tensor_spec) :: specs(1)
  integer :: rank, code, level, i
  logical :: sends

  call mpi_init_thread(mpi_thread_funneled, level, code)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  sends = rank == 0
  sent = [(real(i) / 2, i = 1, int(extent))]
  list = dtx_diagnostics_create()
  catalog = c_null_ptr
  call check(dtx_transport_create_fint(mpi_comm_world, transport, err))
  if (sends) then
    specs(1) = dtx_tensor_spec(c_loc(name), dtx_float32, 1, c_loc(shape))
    call check(dtx_catalog_create(specs, 1, catalog, err))
    call check(dtx_layout_parse(source_text, 'here' // c_null_char, &
      '.' // c_null_char, dtx_memory, list, layout, err))
    offer%source = layout
    offer%catalog = catalog
  else
    call check(dtx_layout_parse(target_text, 'here' // c_null_char, &
      '.' // c_null_char, dtx_memory, list, layout, err))
    offer%target = layout
  end if
  call check(dtx_channel_meet(offer, transport, c_null_ptr, list, channel, err))
  array%tensor = c_loc(name)
  array%rank = 0
  array%ndim = 1
  array%shape = c_loc(shape)
  array%dtype = merge(dtx_float32, dtx_float64, sends)
  if (sends) then
    array%data = c_loc(sent)
  else
    array%data = c_loc(received)
  end if
  call check(dtx_channel_bind(channel, merge(dtx_source, dtx_target, sends), &
    array, err))
  call check(dtx_channel_run(channel, err))
  if (.not. sends) then
    print '(a, 8f5.1)', 'received', received
  end if
  call dtx_channel_close(channel)
  call dtx_catalog_destroy(catalog)
  call dtx_layout_destroy(layout)
  call dtx_transport_destroy(transport)
  call dtx_diagnostics_destroy(list)
  call mpi_finalize(code)

contains
  subroutine check(status)
    integer(c_int), intent(in) :: status

    if (status /= 0) then
      print *, 'status', status, ': ', err%message(1:80)
      call mpi_abort(mpi_comm_world, int(status), code)
    end if
  end subroutine
end program
